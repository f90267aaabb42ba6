import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Model } from '../../src/core/catalogue.ts';
import { type RoutingRules, usualRoutingRules } from '../../src/core/routing-rules.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway } from '../support/gateway.ts';

const picture = [
  { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
];

let upstream: FakeUpstream;

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
});
after(() => upstream.close());

interface Row {
  readonly name: string;
  readonly body: object;
  readonly rules?: Partial<RoutingRules>;
  readonly status: number;
  readonly message: RegExp;
}

const rows: readonly Row[] = [
  {
    name: 'auto without a model that can serve',
    body: { model: 'service/auto', provider: { max_price: { prompt: 0 } } },
    status: 404,
    message: /"service\/auto" finds no model that can serve this request\./,
  },
  {
    name: 'auto without a model that its lists leave',
    body: { model: 'service/auto', plugins: [{ id: 'auto-router', allowed_models: ['no/*'] }] },
    status: 404,
    message: /finds no model that fits the request and its restrictions \(allowed_models\)/,
  },
  {
    name: 'auto-beta with a setting that it does not have',
    body: { model: 'service/auto-beta', plugins: [{ id: 'auto-beta-router', pin_model: true }] },
    status: 400,
    message: /pin_model/,
  },
  {
    name: 'free without a free variant',
    body: { model: 'service/free' },
    status: 404,
    message: /"service\/free" finds no free model for this request\./,
  },
  {
    name: 'pareto-code without a shortlist',
    body: { model: 'service/pareto-code' },
    status: 404,
    message: /finds no coding model for this request\./,
  },
  {
    name: 'pareto-code under a price that nobody has',
    body: { model: 'service/pareto-code', plugins: [{ id: 'pareto-router', max_price: 0.5 }] },
    status: 404,
    message: /finds no coding model for at most 0\.5 USD per million input tokens\./,
  },
  {
    name: 'bodybuilder without a model',
    body: { model: 'service/bodybuilder' },
    status: 404,
    message: /"service\/bodybuilder" is not set up on this server\./,
  },
  {
    name: 'bodybuilder with a model that cannot serve the request',
    body: { model: 'service/bodybuilder', input: picture },
    rules: { bodybuilder: { model: 'acme/blind' } },
    status: 404,
    message: /has a model that cannot serve this request\./,
  },
  {
    name: 'fusion without a panel',
    body: { model: 'service/fusion' },
    status: 404,
    message: /"service\/fusion" is not set up on this server\./,
  },
  {
    name: 'fusion with a panel that the catalogue lacks',
    body: { model: 'service/fusion' },
    rules: { fusion: { panels: { 'general-high': { models: ['no/such'] } } } },
    status: 404,
    message: /has no model that can serve this request\./,
  },
  {
    name: 'a panel that is not there',
    body: { model: 'service/fusion', plugins: [{ id: 'fusion', preset: 'general-budget' }] },
    status: 400,
    message: /tools\.fusion\.panels\.general-budget/,
  },
  {
    name: 'a router that does not exist',
    body: { model: 'service/best' },
    status: 400,
    message: /"service\/best" does not exist/,
  },
  {
    name: 'a router with contradictory variants',
    body: { model: 'service/auto:nitro:floor' },
    status: 400,
    message: /nitro/,
  },
];

for (const { name, body, rules, status, message } of rows) {
  test(`${name}: ${status}`, async (t) => {
    const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
    const blind: Model = { ...modelOf('acme/blind', [north]), inputModalities: ['text'] };
    const gateway = await startGateway({
      models: [blind],
      config: { routing: { ...usualRoutingRules, ...rules } },
    });
    t.after(() => gateway.stop());
    const asked = upstream.requests.length;
    const response = await gateway.post({ input: 'Hi', ...body });
    const { error, ...rest } = (await response.json()) as { readonly error: { readonly message: string } };
    assert.equal(response.status, status, error.message);
    assert.match(error.message, message);
    checkContract(status === 404 ? 'NotFoundResponse' : 'BadRequestResponse', { error, ...rest });
    assert.equal(upstream.requests.length, asked);
    // Another model of the request serves in place of a router that has nothing to choose from.
    const saved = await gateway.post({ input: 'Hi', ...body, models: ['acme/blind'], provider: undefined });
    if (status === 404 && !name.includes('cannot serve')) assert.equal(saved.status, 200, await saved.text());
  });
}
