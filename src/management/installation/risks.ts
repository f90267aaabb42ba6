import type { Catalogue, Model } from '../../core/catalogue.ts';
import { resolveSlug } from '../../core/resolve-slug.ts';
import type { RoutingRules } from '../../core/routing-rules.ts';
import type { ProcessFigures } from '../../ports/processes.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { ListedProcess } from './installation.ts';

/** Something an operator should look at. */
export interface Risk {
  /** `problem`: something does not work now. `warning`: it may soon. `note`: worth knowing. */
  readonly level: 'problem' | 'warning' | 'note';
  readonly about: 'processes' | 'configuration' | 'models' | 'providers' | 'alerts';
  /** One sentence, and what to do. */
  readonly text: string;
}

/** A provider of which endpoints are down. */
export interface DownProvider {
  readonly name: string;
  /** Endpoints that are down, and those that were asked lately. */
  readonly down: number;
  readonly asked: number;
  /** Unix milliseconds. */
  readonly since: number;
}

/** What risks are found in. */
export interface RiskFacts {
  readonly processes: readonly ListedProcess[];
  readonly providers: readonly DownProvider[];
  readonly configuration: {
    readonly warnings: readonly string[];
    readonly needRestart: readonly string[];
    readonly refused: { readonly at: number; readonly reasons: readonly string[] } | undefined;
  };
  /** What `headgate check` notes of the models. */
  readonly notes: readonly string[];
  /** Whether somebody is told of what happens. */
  readonly alerts: boolean;
  /** Issuers of tokens whose keys are old because they cannot be read, with their age in milliseconds. */
  readonly staleIssuers: readonly { readonly id: string; readonly age: number }[];
  readonly now: number;
}

/** Milliseconds by which clocks of processes may differ. */
const skew = 5_000;
/** The share of the heap from which it is short. */
const fullHeap = 0.8;
/** The share of time from which a main thread is busy. */
const busyLoop = 0.9;

/** The risks of an installation, the worst first. */
export function findRisks(facts: RiskFacts): readonly Risk[] {
  const { processes, providers, configuration, notes, alerts, now } = facts;
  const { warnings, needRestart, refused } = configuration;
  const live = processes.filter(({ isLost }) => !isLost);
  const versions = [...new Set(live.map(({ report }) => report.version))];
  const risks: readonly (Risk | undefined)[] = [
    ...processes.flatMap((one) => risksOfProcess(one, now)),
    ...providers.map(riskOfProvider),
    ...facts.staleIssuers.map(({ id, age: old }) =>
      risk(
        'problem',
        'configuration',
        `The keys of the issuer "${id}" cannot be read and are ${age(old)} old: its tokens are refused once they are too old`,
      ),
    ),
    ...(refused?.reasons ?? []).map((reason) =>
      risk(
        'problem',
        'configuration',
        `The configuration file is not in use since ${isoTime(refused?.at ?? 0)}, the one before it is: ${reason}`,
      ),
    ),
    versions.length > 1
      ? risk('warning', 'processes', `Processes run different versions: ${versions.join(', ')}`)
      : undefined,
    needRestart.length > 0
      ? risk(
          'warning',
          'configuration',
          `Changed in the file, waits for a restart: ${needRestart.join(', ')}`,
        )
      : undefined,
    ...warnings.map((text) => risk('warning', 'configuration', text)),
    alerts
      ? undefined
      : risk('note', 'alerts', 'Nobody is told of limits and of providers that fail: set alerts.webhook'),
    ...notes.map((text) => risk('note', 'models', text)),
  ];
  const order = ['problem', 'warning', 'note'];
  return risks
    .filter((one) => one !== undefined)
    .toSorted((left, right) => order.indexOf(left.level) - order.indexOf(right.level));
}

function risk(level: Risk['level'], about: Risk['about'], text: string): Risk {
  return { level, about, text };
}

function riskOfProvider({ name, down, asked, since }: DownProvider): Risk {
  const time = isoTime(since);
  return down === asked
    ? risk('problem', 'providers', `${name} is down since ${time}: requests go to other providers, or fail`)
    : risk('warning', 'providers', `${name}: ${down} of ${asked} endpoints down, the first since ${time}`);
}

function risksOfProcess({ report, isLost, isOwn }: ListedProcess, now: number): readonly Risk[] {
  const { host, pid, seenAt, figures } = report;
  const name = `Process ${pid} on ${host}`;
  const of = (level: Risk['level'], text: string) => risk(level, 'processes', `${name} ${text}`);
  if (isLost) {
    return [
      of(
        'problem',
        `was last heard of ${age(now - seenAt)} ago: it was killed, or cannot reach the database`,
      ),
    ];
  }
  const ahead = isOwn ? 0 : seenAt - now;
  const clock =
    ahead > skew ? [of('warning', `has a clock that is ${Math.round(ahead / 1000)} s ahead`)] : [];
  return figures === undefined ? clock : [...clock, ...risksOfFigures(figures, of)];
}

/** What states of dependencies mean. */
const outages: Readonly<Record<string, readonly [Risk['level'], string]>> = {
  'database unreachable': ['problem', 'gets no answer from the database'],
  'journal unwritable': ['problem', 'cannot make charges durable, so it refuses paid requests'],
  'journal no_room': ['warning', 'has no room on its disk for charges, should the database be away'],
  'shared_state unreachable': ['problem', 'gets no answer from Redis, so it refuses what is counted there'],
  'shared_state local': ['warning', 'gets no answer from Redis, so it counts alone'],
};

/** A time in words. */
function age(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function risksOfFigures(
  figures: ProcessFigures,
  of: (level: Risk['level'], text: string) => Risk,
): readonly Risk[] {
  const { state, dependencies, waitingCharges, memory, loopBusy } = figures;
  const found: readonly (Risk | false)[] = [
    ...Object.entries(dependencies).map(([name, how]) => {
      const [level, words] = outages[`${name} ${how}`] ?? ['problem', `says of ${name}: ${how}`];
      return how !== 'ok' && of(level, words);
    }),
    state === 'memory' && of('problem', 'refuses requests: its memory is full'),
    state === 'event_loop' && of('problem', 'refuses requests: it has more work than it can do'),
    waitingCharges > 0 &&
      of('warning', `has ${waitingCharges} charges on its disk that are not in the database yet`),
    memory.heapUsed > fullHeap * memory.heapLimit &&
      of('warning', `uses ${Math.round((100 * memory.heapUsed) / memory.heapLimit)} % of its heap`),
    loopBusy > busyLoop && of('warning', `is busy ${Math.round(100 * loopBusy)} % of the time`),
  ];
  return found.filter((one) => one !== false);
}

/** Models that a note names. */
const mostNamed = 5;

/** What an operator may want to know of a catalogue that is correct: settings that nobody made, and what cannot be done here. */
export function catalogueNotes(
  { models }: Pick<Catalogue, 'models'>,
  { moderates }: { readonly moderates: boolean },
): readonly string[] {
  const all = [...models.values()];
  return [
    note(
      all.filter(({ undeclared }) => undeclared?.input === true),
      'input_modalities are not declared: pictures are passed on untested, files are read here',
    ),
    note(
      all.filter(({ undeclared }) => undeclared?.output === true),
      'output_modalities are not declared: text is expected',
    ),
    note(
      moderates ? [] : all.filter(isModerated),
      'is_moderated is set, but plugins.moderation is not: only the provider checks what is sent',
    ),
  ].flat();
}

function isModerated({ endpoints }: Model): boolean {
  return endpoints.some((endpoint) => endpoint.isModerated === true);
}

function note(models: readonly Model[], text: string): readonly string[] {
  if (models.length === 0) return [];
  const named = models.slice(0, mostNamed).map(({ id }) => id);
  const rest = models.length - named.length;
  return [`${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}: ${text}`];
}

/** Models that settings of routers name and the catalogue does not have, so that they have no effect. */
export function routerNotes({ auto, bodybuilder }: RoutingRules, catalogue: Catalogue): readonly string[] {
  const named: readonly (readonly [setting: string, slug: string | undefined])[] = [
    ...auto.defaultModels.map((slug) => ['routing.auto.default_models', slug] as const),
    ...Object.entries(auto.priors).flatMap(([task, shares]) =>
      Object.keys(shares).map((id) => [`routing.auto.priors.${task}`, id] as const),
    ),
    ['routing.auto.classifier_model', auto.classifierModel],
    ['routing.bodybuilder.model', bodybuilder.model],
  ];
  return named.flatMap(([setting, slug]) =>
    slug === undefined || resolveSlug(slug, catalogue).outcome === 'model'
      ? []
      : [`${setting}: "${slug}" is no model of the catalogue, so it has no effect`],
  );
}
