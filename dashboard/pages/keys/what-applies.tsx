import type { KeyRules } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { LimitBar } from '../../parts/limit-bar.tsx';
import { Money } from '../../parts/money.tsx';
import { Failed, Loading } from '../../parts/state.tsx';
import { limitZone } from '../../state/limit-calendar.ts';
import { zone } from '../../state/preferences.ts';
import { useQuery } from '../../state/query.ts';
import { href } from '../../state/url.ts';
import { count, many, plain } from '../../text/format.ts';
import { resetWords } from '../../text/reset-words.ts';

type Rules = KeyRules['data'];
type Guardrail = Rules['guardrails'][number];

/** All that limits or changes the requests of a key, each with where it comes from. */
export function WhatApplies({ hash }: { readonly hash: string }) {
  const found = useQuery(
    ['key-rules', hash],
    (signal) => get('/keys/{hash}/rules', { params: { hash }, signal }),
    { every: 30_000 },
  );
  const rules = found.data?.data;
  return (
    <section class="card padded stack">
      <h2>What applies to this key</h2>
      {found.error !== undefined && rules === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : rules === undefined ? (
        <Loading height={160} />
      ) : (
        <div class="applied">
          <Limits limits={rules.limits} />
          <Guardrails guardrails={rules.guardrails} />
          <div class="stack">
            <Rates rates={rules.rates} />
            <Defaults rules={rules} />
          </div>
        </div>
      )}
    </section>
  );
}

const holders = {
  key: 'of this key',
  api_key: 'of a guardrail, for this key',
  member: 'of a guardrail, for its member',
  workspace_default_key: 'of the guardrail of its workspace, for this key',
  workspace_default_member: 'of the guardrail of its workspace, for its member',
  workspace: 'of its workspace, all keys together',
} as const satisfies Readonly<Record<Rules['limits'][number]['scope'], string>>;

function Limits({ limits }: { readonly limits: Rules['limits'] }) {
  const now = Date.now();
  return (
    <div>
      <h3>Spending</h3>
      {limits.length === 0 && <p class="muted">Nothing limits it but the credits of the account.</p>}
      <ul class="plain-list">
        {limits.map(({ scope, subject, reset_interval: interval, ...one }) => (
          <li key={`${scope} ${subject} ${interval}`}>
            <Money nano={one.spent_nano} /> of <Money nano={one.limit_nano} /> {interval ?? 'in all'}{' '}
            <span class="muted">
              {holders[scope]}
              {one.resets_at !== null && `, ${resetWords(one.resets_at, now, zone(), limitZone.value)}`}
            </span>
            <LimitBar
              used={Number(one.spent_nano) / Math.max(Number(one.limit_nano), 1)}
              label={`Used part of the limit ${holders[scope]}`}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

const scopes = {
  account: 'for all keys',
  workspace: 'by its workspace',
  member: 'by its member',
  'api-key': 'given to this key',
} as const satisfies Readonly<Record<Guardrail['scope'], string>>;

function Guardrails({ guardrails }: { readonly guardrails: readonly Guardrail[] }) {
  return (
    <div>
      <h3>Guardrails</h3>
      {guardrails.length === 0 && <p class="muted">None: any model and provider, and no filter.</p>}
      <ul class="plain-list">
        {guardrails.map((one) => (
          <li key={`${one.scope} ${one.id}`}>
            <a href={href(`guardrails/${one.id}`)}>{plain(one.name)}</a>{' '}
            <span class="muted">
              {scopes[one.scope]}
              {one.source === 'file' && ', in the configuration file'}
              {one.mode === 'observe' && ', only observes'}
            </span>
            {linesOf(one).map((line) => (
              <span key={line} class="hint applied-line">
                {line}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}

const practices: Readonly<Record<string, string>> = {
  paid_training: 'no paid endpoint that trains on prompts',
  free_training: 'no free endpoint that trains on prompts',
  free_publication: 'no free endpoint that publishes prompts',
};

/** A guardrail in words, a line for each kind of rule. */
function linesOf(one: Guardrail): readonly string[] {
  const listed = (title: string, names: readonly string[] | null) =>
    names === null || names.length === 0 ? [] : [`${title}: ${names.map(plain).join(', ')}`];
  return [
    ...listed('Only the models', one.allowed_models),
    ...listed('Not the models', one.ignored_models),
    ...listed('Only the providers', one.allowed_providers),
    ...listed('Not the providers', one.ignored_providers),
    ...listed('Only where nothing is kept, for models of', one.zero_retention),
    ...listed(
      'Data practice',
      one.forbidden_practices.map((name) => practices[name] ?? name),
    ),
    ...listed(
      'Filters',
      one.filters.map(({ name, action }) => `${name} (${action})`),
    ),
  ];
}

const groups = { key: 'This key', account: 'Its account', service: 'All accounts together' } as const;

function Rates({ rates }: { readonly rates: Rules['rates'] }) {
  return (
    <div>
      <h3>Rates</h3>
      {rates.length === 0 && <p class="muted">Any number of requests and tokens.</p>}
      <ul class="plain-list">
        {rates.map(({ scope, requests_per_minute: requests, tokens_per_minute: tokens, parallel }) => (
          <li key={scope}>
            {groups[scope]}:{' '}
            {[
              requests !== null && `${many(requests, 'request')} a minute`,
              tokens !== null && `${count(tokens)} tokens a minute`,
              parallel !== null && `${count(parallel)} at the same time`,
            ]
              .filter((text) => text !== false)
              .join(', ')}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Defaults({ rules: { workspace, account } }: { readonly rules: Rules }) {
  const lines = [
    ...(account.zero_retention ? ['Account: only where nothing is kept'] : []),
    ...account.plugins.map((one) => `Account: ${pluginLine(one)}`),
    ...(workspace === null
      ? []
      : [
          ...(workspace.default_text_model === null
            ? []
            : [`Workspace: model ${plain(workspace.default_text_model)} where none is named`]),
          ...(workspace.default_provider_sort === null
            ? []
            : [`Workspace: endpoints by ${plain(workspace.default_provider_sort)}`]),
          ...workspace.disabled_server_tools.map((tool) => `Workspace: tool ${plain(tool)} is switched off`),
          ...workspace.plugins.map((one) => `Workspace: ${pluginLine(one)}`),
        ]),
  ];
  return (
    <div>
      <h3>Defaults</h3>
      {lines.length === 0 && <p class="muted">None.</p>}
      <ul class="plain-list">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

function pluginLine({ id, enforced }: { readonly id: string; readonly enforced: boolean }): string {
  return `plugin ${plain(id)} is on${enforced ? ', and requests cannot change it' : ''}`;
}
