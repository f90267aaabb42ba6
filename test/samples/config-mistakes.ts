// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has its own ${VAR}
import { adapterNames } from '../../src/catalogue/vocabulary.ts';

const adapters = adapterNames.join(', ');
/** Configurations with mistakes, each with the lines it is refused with; its file is called `f`. */
export const configMistakes: readonly (readonly [string, ...string[]])[] = [
  [
    'server:\n  prot: 1',
    'f:2: server.prot: unknown key; allowed: host, port, public_url, base_paths, body_limit, bodies_limit, cors_origins, trust_proxy, drain_timeout, request_timeout, header_timeout, keep_alive, send_timeout, connections_per_address, metrics_port, tls, ca_file, dashboard, workers; did you mean "port"?',
  ],
  [
    'alerts: { secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz }',
    'f:1: alerts.secret: signs nothing without alerts.webhook; allowed: a secret beside the address of a webhook; set alerts.webhook, or leave it out',
  ],
  [
    'alerts: { webhook: "https://ops.example", secret: whsec_short }',
    'f:1: alerts.secret: the value is not whsec_ and 24 to 64 bytes in base64; allowed: whsec_ and 24 to 64 bytes in base64; correct the value',
  ],
  [
    'providers: { mine: { adapter: anthropic-messages, base_url: "http://127.0.0.1:9/v1", discover: true } }',
    'f:1: providers.mine.discover: models cannot be read from the list of an anthropic-messages provider; allowed: openai-chat, openai-responses; remove it, and name the models under models',
  ],
  [
    'providers: { groq: { api_key: one, api_keys: [two, three] } }',
    'f:1: providers.groq.api_keys: api_key is there too; allowed: one of both; move api_key into the list',
  ],
  [
    'observability: { destinations: { private_hosts: ["collector.corp:4318", "collector.corp"] } }',
    'f:1: observability.destinations.private_hosts[1]: "collector.corp" cannot be read; allowed: must be a host or network with a port, such as wiki.corp:8080, 10.1.0.0/16:80 or [fd00::/8]:80; write it in that form',
  ],
  [
    'byok: { zzz: 1 }',
    'f:1: byok.zzz: unknown key; allowed: fee_rate, monthly_allowance_usd, enterprise_monthly_allowance_usd; remove it',
  ],
  [
    'server: { port: "8484" }',
    'f:1: server.port: "8484" is not a number; allowed: a whole number from 0 to 65535; correct the value',
  ],
  [
    'server: { port: 1.5 }',
    'f:1: server.port: 1.5 is not a whole number; allowed: a whole number from 0 to 65535; correct the value',
  ],
  [
    'server: { trust_proxy: yes }',
    'f:1: server.trust_proxy: "yes" is none of these; allowed: true or false, or a whole number from 1 to 64, or a list with at least one entry, each an address or a network such as 10.0.0.0/8; correct the value',
  ],
  [
    'server: { host: 5 }',
    'f:1: server.host: 5 is not text; allowed: text that is not empty; correct the value',
  ],
  [
    'server: { cors_origins: x }',
    'f:1: server.cors_origins: is not a list; allowed: a list; put it in brackets, also where it is one alone',
  ],
  [
    'server:\n  cors_origins: ["https://app.example/", "app.example"]',
    ...['https://app.example/', 'app.example'].map(
      (origin, index) =>
        `f:2: server.cors_origins[${index}]: "${origin}" does not have the right form; allowed: * or an origin as browsers send it, such as https://app.example or http://localhost:3000; correct the value`,
    ),
  ],
  [
    'server: { port: [1] }',
    'f:1: server.port: a list does not belong here; allowed: a whole number from 0 to 65535; write a single value',
  ],
  [
    'server: { keep_alive: 10 }',
    'f:1: server.keep_alive: 10 is not a duration; allowed: a duration above 0 such as 500ms, 10s, 2m or 1h, at most 596h; correct the value',
  ],
  [
    'server: { base_paths: [/v1] }',
    'f:1: server.base_paths: leaves out /api/v1; allowed: /api/v1 and aliases of it; add /api/v1',
  ],
  [
    'server: { body_limit: big }',
    'f:1: server.body_limit: "big" is not a size; allowed: a size such as 512KiB, 32MiB or a number of bytes; correct the value',
  ],
  [
    'byok: { fee_rate: 1.01 }',
    'f:1: byok.fee_rate: 1.01 is above 1; allowed: a fraction from 0 to 1 with at most 4 digits after the point; correct the value',
  ],
  [
    'providers:\n  a:\n    adapter: openai-chat\n    base_url: http://x\n    api_key: ${ABSENT}',
    'f:5: providers.a.api_key: environment variable ABSENT is not set; allowed: ${NAME} of a variable that is set; set ABSENT or remove the key',
  ],
  [
    'log_level: "${oops"',
    'f:1: log_level: "${" does not name a variable; allowed: ${NAME}; close the brace, or write $${ for a plain ${',
  ],
  [
    'providers:\n  a: { adapter: openai-caht, base_url: "http://x" }',
    `f:2: providers.a.adapter: "openai-caht" is not known; allowed: ${adapters}; did you mean "openai-chat"?`,
  ],
  [
    'providers:\n  opnai: { api_key_file: /nowhere }',
    'f:2: providers.opnai.api_key_file: the file cannot be read (ENOENT); allowed: the name of a readable file that holds the secret; correct the name or the permissions',
    `f:2: providers.opnai: adapter is missing and "opnai" is no built-in provider; allowed: ${adapters}; did you mean "openai"?`,
  ],
  [
    'providers: { a: { adapter: openai-chat } }',
    'f:1: providers.a: base_url is missing; allowed: an http:// or https:// address; add base_url',
  ],
  [
    'providers: { A!: { adapter: sandbox } }',
    'f:1: providers.A!: the name does not have the right form; allowed: lowercase letters, digits and . _ - with a letter or digit first; rename it',
  ],
  [
    'providers: { mistral: { price: { input: 1, output: 1 } } }',
    'f:1: providers.mistral.price: only a provider with adapter sandbox has this key; allowed: nothing here; state prices at models[].endpoints[].price',
  ],
  [
    'models:\n  - { id: a/b, endpoints: [{ provider: sandbox, model: echo }] }\n  - { id: A/b, endpoints: [{ provider: sandbox, model: echo }] }',
    'f:3: models[1].id: "A/b" stands here twice, first on line 2; allowed: ids that differ in more than case; remove one of the two or rename it',
  ],
  [
    'providers: { p: { adapter: openai-chat, base_url: http://localhost:1/v1, quirks: { toolChoices: [some] } } }',
    'f:1: providers.p.quirks.toolChoices: the value does not fit; allowed: a list of none, required, named, allowed_tools; correct the value',
  ],
  [
    'catalog: none\nmodels:\n  - id: a/b\n    endpoints:\n      - { provider: sandbix, model: echo }',
    'f:5: models[0].endpoints[0].provider: "sandbix" is no provider; allowed: any built-in provider (docs/providers.md); did you mean "sandbox"?',
  ],
  [
    'catalog: none\nmodels:\n  - id: a/b',
    'f:3: models[0]: endpoints is missing and "a/b" is no built-in model; allowed: a list with at least one entry; add endpoints',
  ],
  [
    'models:\n  - name: x',
    'f:2: models[0]: id is missing; allowed: author/name or author/name:variant; add id',
  ],
  [
    'models:\n  -',
    'f:2: models[0]: has no value; allowed: a map of id, canonical_slug, name, description, family, created, context_length, input_modalities, output_modalities, reasoning, knowledge_cutoff, aliases, hidden, accounts, retired, expiration_date, successor, fast_sibling, distillable, categories, benchmarks, coding_percentile, tokenizer, instruct_type, default_parameters, hugging_face_id, supported_voices, endpoints; write one or remove it',
  ],
  [
    'models:\n  - { id: atlas, endpoints: [{ provider: sandbox, model: echo }] }',
    'f:2: models[0].id: "atlas" does not have the right form; allowed: author/name or author/name:variant; correct the value',
  ],
  [
    'models:\n  - id: a/b\n    endpoints:\n      - provider: sandbox\n        model: echo\n        price: { input: 0.0000001, output: -1 }',
    'f:6: models[0].endpoints[0].price.input: 0.0000001 has more than 6 digits after the decimal point; allowed: USD per million tokens from 0 with at most 6 digits after the point; correct the value',
    'f:6: models[0].endpoints[0].price.output: -1 is below 0; allowed: USD per million tokens from 0 with at most 6 digits after the point; correct the value',
  ],
  [
    'compat: { aliases: [service] }',
    'f:1: compat.aliases[0]: "service" is the prefix itself; allowed: another word; remove it',
  ],
  [
    'server: { port: 1 }\nserver: { port: 2 }',
    'f:2: broken YAML (duplicate key); allowed: YAML 1.2; remove one of the two keys of the same name',
  ],
  [
    'providers:\n  a: { api_key: ${KEY} }',
    'f:2: broken YAML (unexpected token); allowed: YAML 1.2; inside { } and [ ] write "${VAR}" in quotes',
  ],
  [
    'server:\n  port: "1',
    'f:2: broken YAML (missing char); allowed: YAML 1.2; check indentation, colons and quotes on and above this line',
  ],
  [
    '- a',
    'f:1: is not a map; allowed: a map of server, data_dir, database, shared_state, master_key, master_key_file, log_level, bootstrap, providers, catalog, models, plugins, guardrails, tools, location, routing, limits, byok, responses, compat, alerts, observability, content_logging, telemetry, auth, presets; correct the value',
  ],
  [
    'tools:\n  sandbox: { driver: podman, url: "http://127.0.0.1:1" }',
    'f:2: tools.sandbox.image: is missing; allowed: an image with bash, such as name@sha256:...; add it, the driver "podman" needs it',
    'f:2: tools.sandbox.url: has no effect with the driver "podman"; allowed: the driver http; remove it, or name that driver',
  ],
  [
    'auth:\n  workloads:\n    - { id: a, issuer: "http://idp.example", audiences: [h], policies: [{ id: x, if: { sub: a } }] }',
    'f:3: auth.workloads[0].issuer: is no address that keys can be fetched from safely; allowed: an https:// address, or http:// on a loopback address; correct it, or name jwks_file',
  ],
  [
    'auth:\n  workloads:\n    - { id: a, issuer: a, jwks_file: k, ca_file: c, audiences: [], algorithms: [HS256], policies: [{ id: x, if: {} }] }',
    'f:3: auth.workloads[0].audiences: has no entry; allowed: a list with at least one entry; correct the value',
    'f:3: auth.workloads[0].algorithms[0]: "HS256" is not known; allowed: RS256, PS256, ES256, ES384, EdDSA; did you mean "RS256"?',
    'f:3: auth.workloads[0].ca_file: has no effect beside jwks_file; allowed: a file for keys that are fetched; remove it',
    'f:3: auth.workloads[0].policies[0].if: lets in every token of the issuer; allowed: at least one claim with what it must be; name one, such as sub: "*" where that is meant',
  ],
  [
    'auth:\n  workloads:\n    - id: a\n      issuer: https://a\n      audiences: [h]\n      policies:\n        - { id: x, if: { sub: "a*b*" }, role: admin, key: { limit_reset: daily } }\n        - { id: x, if: { sub: a }, acts_as: management, workspace: ml, key: { limit: 1 } }\n        - { id: y, if: { sub: a }, acts_as: management, role: owner }\n        - { id: z, if: { sub: a }, acts_as: management, role: editor }\n    - { id: a, issuer: https://a, jwks_file: k, jwks_uri: https://b, audiences: [h], policies: [{ id: q }] }',
    'f:7: auth.workloads[0].policies[0].if.sub: "a*b*" has more than one *; allowed: a text with at most one *, which stands for any characters; write a list of simpler texts',
    'f:7: auth.workloads[0].policies[0].role: has no effect without acts_as: management; allowed: nothing here; remove it',
    'f:7: auth.workloads[0].policies[0].key.limit_reset: has no effect without limit; allowed: nothing here; remove it',
    'f:8: auth.workloads[0].policies[1].id: "x" is there twice; allowed: a name that no other has; rename one of them',
    'f:8: auth.workloads[0].policies[1]: role is missing; allowed: admin, viewer, billing; add role',
    'f:8: auth.workloads[0].policies[1].workspace: has no effect without acts_as: derived; allowed: nothing here; remove it',
    'f:8: auth.workloads[0].policies[1].key: has no effect without acts_as: derived; allowed: nothing here; remove it',
    'f:9: auth.workloads[0].policies[2].role: no workload can be owner; allowed: admin, viewer, billing; choose another one',
    'f:10: auth.workloads[0].policies[3].role: no workload can be editor; allowed: admin, viewer, billing; choose another one',
    'f:11: auth.workloads[1].policies[0]: if is missing; allowed: a map; add if',
    'f:11: auth.workloads[1].id: "a" is there twice; allowed: a name that no other has; rename one of them',
    'f:11: auth.workloads[1].issuer: "https://a" is there twice; allowed: a name that no other has; rename one of them',
    'f:11: auth.workloads[1].jwks_uri: jwks_file is there too; allowed: one of both; remove one',
  ],
];
