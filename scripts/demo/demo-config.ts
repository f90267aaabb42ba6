/** Invented providers that the sandbox plays, so that every page of the dashboard has something to show. */
const providers = [
  ['northgpu', 'NorthGPU', 320, 95, false],
  ['southgpu', 'SouthGPU', 410, 130, false],
  ['borealis', 'Borealis Cloud', 240, 60, true],
  ['tidewater', 'Tidewater Inference', 180, 210, true],
] as const;

/** Invented models: id, name, what the sandbox does, context, and prices in USD for a million tokens at each endpoint. */
const models = [
  [
    'acme/atlas-4',
    'Acme: Atlas 4',
    'lorem',
    200_000,
    [
      ['northgpu', 3, 15, 0.3],
      ['southgpu', 3.2, 14.5, 0.32],
    ],
  ],
  [
    'acme/atlas-4-mini',
    'Acme: Atlas 4 Mini',
    'lorem',
    131_072,
    [
      ['southgpu', 0.15, 0.6, 0.015],
      ['tidewater', 0.18, 0.7, 0.018],
    ],
  ],
  ['globex/ibis-large', 'Globex: Ibis Large', 'lorem', 131_072, [['borealis', 2, 8, 0.5]]],
  [
    'globex/ibis-flash',
    'Globex: Ibis Flash',
    'echo',
    32_768,
    [
      ['borealis', 0.1, 0.4, 0.025],
      ['tidewater', 0.12, 0.45, 0.03],
    ],
  ],
  [
    'initech/quill-reason',
    'Initech: Quill Reason',
    'reason',
    262_144,
    [
      ['tidewater', 1.1, 4.4, 0.275],
      ['northgpu', 1.2, 4.8, 0.3],
    ],
  ],
  ['initech/quill-tools', 'Initech: Quill Tools', 'tools', 65_536, [['southgpu', 0.8, 2.4, 0.08]]],
  ['umbra/kestrel-9b', 'Umbra: Kestrel 9B', 'lorem', 16_384, [['tidewater', 0.05, 0.08, 0.005]]],
] as const;

/** The ids of the models. */
export const demoModels: readonly string[] = models.map(([id]) => id);

/** How the one that reasons does. */
const reasoning = { supported_efforts: ['high', 'medium', 'low', 'minimal'], default_effort: 'medium' };

/** The configuration of the demonstration. JSON is YAML. */
export function demoConfig(dataDirectory: string, port: number, accounts: readonly string[] = []): string {
  const settings = {
    data_dir: dataDirectory,
    log_level: 'warn',
    observability: { plans: 'all' },
    content_logging: { enabled: true },
    server: { port, dashboard: { operator_accounts: accounts } },
    providers: Object.fromEntries(
      providers.map(([slug, name, firstTokenDelay, tokensPerSecond, trains]) => [
        slug,
        {
          name,
          adapter: 'sandbox',
          quirks: { firstTokenDelay, tokensPerSecond },
          retains_prompts: trains,
          trains_on_prompts: false,
          headquarters: 'DE',
        },
      ]),
    ),
    models: models.map(([id, name, model, context, endpoints], index) => ({
      id,
      name,
      created: Date.UTC(2026, index, 1) / 1000,
      context_length: context,
      ...(model === 'reason' ? { reasoning } : {}),
      endpoints: endpoints.map(([provider, input, output, cache_read]) => ({
        provider,
        model,
        price: { input, output, cache_read },
      })),
    })),
  };
  return JSON.stringify(settings, undefined, 2);
}
