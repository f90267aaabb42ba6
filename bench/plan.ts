import { buildCatalogue } from '../src/catalogue/build-catalogue.ts';
import { providerRows } from '../src/catalogue/provider-rows.ts';
import type { Catalogue } from '../src/core/catalogue.ts';
import { HeadgateError } from '../src/core/errors.ts';
import type { InferenceRequest } from '../src/core/inference-request.ts';
import type { RoutingSnapshot } from '../src/routing/route-plan.ts';
import { createUpstreamRegistry } from '../src/upstream/registry.ts';
import { createTransport } from '../src/upstream/wire/transport.ts';
import { randomCatalogue } from '../test/routing/random-catalogue.ts';
import { randomNumbers } from '../test/routing/random-numbers.ts';
import { randomSituation, randomStatistics } from '../test/routing/random-situations.ts';
import { planOrThrow } from '../test/support/plan-or-throw.ts';
import { parse } from '../test/support/request-parsing.ts';
import { plainSnapshot } from '../test/support/routing-services.ts';

/**
 * Measures the plan function alone, without HTTP, money or a provider: `node bench/plan.ts`. Each figure is of single
 * plans, timed one by one, after a warm-up of the same number.
 */
const plans = 20_000;

interface Case {
  readonly request: InferenceRequest;
  readonly snapshot: RoutingSnapshot;
}

const transport = createTransport();
const upstreams = createUpstreamRegistry({ transport });
const tools = [{ type: 'function', name: 'look_up', parameters: { type: 'object' } }];
const lines = [
  ...measureCatalogue('built-in catalogue', await builtIn()),
  ...measureCatalogue('10,000 endpoints', randomCatalogue(1, 1_000, 10)),
  ...measureCatalogue('10,000 endpoints, a hundred a model', randomCatalogue(1, 100, 100)),
  measure('10,000 endpoints, anything a request may hold', mixed(randomCatalogue(1, 1_000, 10))),
];
process.stdout.write(`${['case | endpoints a plan | p50 µs | p99 µs', ...lines].join('\n')}\n`);
await transport.close();

/** The built-in models as if every provider had a credential. */
async function builtIn(): Promise<Catalogue> {
  const providers = Object.fromEntries(
    providerRows
      .filter(({ slug }) => slug !== 'sandbox')
      .map(({ slug }) => [
        slug,
        {
          enabled: true,
          headers: {},
          quirks: {},
          timeouts: { connect: 1, first_event: 1, total: 1, idle: 1 },
        },
      ]),
  );
  return buildCatalogue({
    providers: providers as Parameters<typeof buildCatalogue>[0]['providers'],
    models: [],
    catalog: 'builtin',
    environment: {},
    now: Date.now(),
  });
}

function measureCatalogue(name: string, catalogue: Catalogue): readonly string[] {
  const models = [...catalogue.models.values()].filter(
    ({ endpoints, accounts, retired, outputModalities }) =>
      endpoints.some(({ status, tier, accounts: some }) => !status && !some && tier === 'default') &&
      !accounts &&
      !retired &&
      outputModalities.includes('text'),
  );
  const body = (fields: object) => models.map(({ id }) => parse({ model: id, ...fields }));
  const snapshot = plainSnapshot(catalogue, {
    upstreams,
    statistics: randomStatistics(3),
    random: randomNumbers(1),
  });
  const three = models.map(({ id }, index) =>
    parse({
      model: id,
      models: [models[(index * 7) % models.length]?.id, models[(index * 13) % models.length]?.id],
    }),
  );
  const cases = (requests: readonly InferenceRequest[]) => requests.map((request) => ({ request, snapshot }));
  return [
    measure(`${name}, plain`, cases(body({}))),
    measure(`${name}, tools`, cases(body({ tools }))),
    measure(
      `${name}, sorted, three models as one`,
      cases(
        three.map((request) => ({
          ...request,
          provider: { sort: { by: 'throughput' as const, partition: 'none' as const } },
        })),
      ),
    ),
  ];
}

function mixed(catalogue: Catalogue): readonly Case[] {
  const statistics = randomStatistics(3);
  return Array.from({ length: 2_000 }, (_, seed) => {
    const { request, snapshot } = randomSituation(seed, catalogue, statistics);
    return { request, snapshot: { ...snapshot, random: randomNumbers(seed) } };
  });
}

function measure(name: string, cases: readonly Case[]): string {
  run(cases);
  const { times, endpoints } = run(cases);
  times.sort((one, other) => one - other);
  const at = (share: number) => ((times[Math.floor(times.length * share)] ?? 0) / 1000).toFixed(1);
  return `${name} | ${(endpoints / times.length).toFixed(1)} | ${at(0.5)} | ${at(0.99)}`;
}

function run(cases: readonly Case[]): { readonly times: number[]; readonly endpoints: number } {
  const times: number[] = [];
  let endpoints = 0;
  for (let plan = 0; plan < plans; plan += 1) {
    const one = cases[plan % cases.length];
    if (one === undefined) break;
    const began = process.hrtime.bigint();
    const total = planned(one);
    const ended = process.hrtime.bigint();
    // A refusal ends early and would improve the figure.
    if (total === undefined) continue;
    times.push(Number(ended - began));
    endpoints += total;
  }
  return { times, endpoints };
}

function planned({ request, snapshot }: Case): number | undefined {
  try {
    return planOrThrow(request, snapshot).total;
  } catch (thrown) {
    if (thrown instanceof HeadgateError) return undefined;
    throw thrown;
  }
}
