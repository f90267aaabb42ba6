import { resolve } from 'node:path';
import { mostPerMinute } from '../core/limits.ts';
import { hasOwnThings, type Role, roles } from '../core/roles.ts';
import {
  type DerivedKeySettings,
  signingAlgorithms,
  type WorkloadIssuer,
  type WorkloadPolicy,
} from '../core/workloads.ts';
import { durationField, httpUrlField, modelName, positiveDurationField, section } from '../schema/fields.ts';
import { units, withUnit } from '../schema/units.ts';
import {
  byType,
  flag,
  integer,
  list,
  map,
  number,
  type Static,
  Type,
  text,
  word,
} from '../util/json-schema.ts';
import { mostNames } from '../util/name-pattern.ts';
import type { Reading } from './reading.ts';

const idPattern = '^[a-z0-9-]{1,32}$';
const maybe = Type.Optional;
const perMinute = integer({ minimum: 1, maximum: mostPerMinute });
const file = (description: string) => maybe(text({ minLength: 1, description }));

const keySchema = Type.Object(
  {
    limit: maybe(
      withUnit(units.usd, {
        type: ['number', 'string'],
        minimum: 0,
        description: 'Most it may spend, in USD',
      }),
    ),
    limit_reset: maybe(word(['daily', 'weekly', 'monthly'], { description: 'When the limit begins anew' })),
    include_byok_in_limit: flag({
      default: false,
      description: "Whether what the account's own credentials serve counts toward the limit",
    }),
    allowed_models: maybe(
      list(modelName, { minItems: 1, maxItems: mostNames, description: 'Models it may use; left out: any' }),
    ),
    rates: Type.Object(
      { requests_per_minute: maybe(perMinute), tokens_per_minute: maybe(perMinute) },
      section('Requests and tokens of a minute'),
    ),
    parallel: maybe(perMinute),
  },
  section('What the key of a subject may do; a change of the file holds from its next request on'),
);

const claimValue = byType(text(), number(), flag());

const policySchema = Type.Object(
  {
    id: text({
      pattern: idPattern,
      description: 'Unique; keys of subjects belong to it, so never rename it',
    }),
    if: map(byType(text(), number(), flag(), list(claimValue, { minItems: 1 })), {
      description:
        'By the name of a claim what it must be: a value, a text with one * for any characters, or a list of which one must fit',
    }),
    subject: list(text({ minLength: 1 }), {
      minItems: 1,
      maxItems: 8,
      default: ['sub'],
      description: 'Claims that name whose key it is; choose those that stay',
    }),
    account: maybe(text({ description: 'Its id; left out: the only account there is' })),
    workspace: maybe(text({ minLength: 1, description: 'Slug or id; left out: the default one' })),
    acts_as: text({
      pattern: '^(derived|management|key:[a-f0-9]{64})$',
      default: 'derived',
      description:
        'derived: an inference key for each subject; management: a management key; key:HASH: a key all share',
    }),
    role: maybe(word(roles, { description: 'Of management: what it is in the account' })),
    key: keySchema,
    max_subjects: integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 1_000,
      description: 'Subjects that keys are made for; further ones are refused',
    }),
  },
  { additionalProperties: false },
);

const issuerSchema = Type.Object(
  {
    id: text({ pattern: idPattern }),
    issuer: text({
      minLength: 1,
      maxLength: 500,
      description: 'The claim iss of its tokens, letter by letter',
    }),
    jwks_uri: maybe(httpUrlField('Where its keys are; left out: where its discovery document says')),
    jwks_file: file('A file with its keys, for closed networks, named from the folder of this file'),
    ca_file: file('Certificates trusted for these addresses, PEM'),
    fetch_token_file: file('A file with the bearer token that these addresses want'),
    audiences: list(text({ minLength: 1 }), {
      minItems: 1,
      maxItems: 20,
      description: 'What aud of a token must name one of',
    }),
    algorithms: list(word(signingAlgorithms), { minItems: 1, default: [...signingAlgorithms] }),
    leeway: durationField('How far clocks may differ', '30s'),
    max_lifetime: positiveDurationField('The longest time from iat to exp', '24h'),
    stale_keys: durationField('How long keys serve that cannot be read again', '24h'),
    policies: list(policySchema, {
      minItems: 1,
      maxItems: 200,
      description: 'Whom it lets in; the first that fits counts',
    }),
  },
  { additionalProperties: false },
);

/** `auth`: who gets in besides keys (docs/spec/workloads.md). */
export const authSettings = Type.Object(
  {
    workloads: list(issuerSchema, {
      maxItems: 50,
      default: [],
      description: 'Issuers whose signed tokens (JWT) work as keys',
    }),
  },
  section('Programs that come with a token of their platform instead of a key'),
);

type IssuerSettings = Static<typeof issuerSchema>;
type PolicySettings = Static<typeof policySchema>;

/** The issuers of the file, with the names of files from the root. */
export function declaredWorkloads(
  { workloads }: Static<typeof authSettings>,
  directory: string,
): readonly WorkloadIssuer[] {
  return workloads.map((one) => ({
    id: one.id,
    issuer: one.issuer,
    keys: keySource(one, directory),
    audiences: one.audiences,
    algorithms: one.algorithms,
    leeway: one.leeway,
    maxLifetime: one.max_lifetime,
    staleKeys: one.stale_keys,
    policies: one.policies.map(declaredPolicy),
  }));
}

function keySource(one: IssuerSettings, directory: string): WorkloadIssuer['keys'] {
  const { jwks_file: file, jwks_uri: uri, ca_file: caFile, fetch_token_file: fetchTokenFile, issuer } = one;
  const named =
    file !== undefined ? { file: resolve(directory, file) } : uri !== undefined ? { uri } : { issuer };
  return {
    ...named,
    ...(caFile !== undefined && { caFile: resolve(directory, caFile) }),
    ...(fetchTokenFile !== undefined && { fetchTokenFile: resolve(directory, fetchTokenFile) }),
  };
}

function declaredPolicy(policy: PolicySettings): WorkloadPolicy {
  const { account, workspace } = policy;
  return {
    id: policy.id,
    conditions: Object.fromEntries(
      Object.entries(policy.if).map(([name, wanted]) => [name, [wanted].flat()]),
    ),
    subject: policy.subject,
    ...(account !== undefined && { account }),
    ...(workspace !== undefined && { workspace }),
    actsAs: actsAs(policy),
    maxSubjects: policy.max_subjects,
  };
}

function actsAs({ acts_as: word, role, key }: PolicySettings): WorkloadPolicy['actsAs'] {
  if (word === 'management') return { kind: 'management', role: role ?? 'viewer' };
  if (word !== 'derived') return { kind: 'key', hash: word.slice('key:'.length) };
  const { rates } = key;
  const settings: DerivedKeySettings = {
    limit: key.limit ?? null,
    limitReset: key.limit_reset ?? null,
    includeByokInLimit: key.include_byok_in_limit,
    allowedModels: key.allowed_models ?? null,
    requestsPerMinute: rates.requests_per_minute ?? null,
    tokensPerMinute: rates.tokens_per_minute ?? null,
    parallel: key.parallel ?? null,
  };
  return { kind: 'inference', settings };
}

/** Notes what single values of `auth` cannot tell: names that are there twice, and members without effect. */
export function checkAuth(auth: Partial<Static<typeof authSettings>> = {}, reading: Reading): void {
  const seen = { id: new Set<string>(), issuer: new Set<string>(), policy: new Set<string>() };
  for (const [index, one] of (auth.workloads ?? []).entries()) {
    const path = `auth.workloads[${index}]`;
    requireNew(seen.id, one.id, `${path}.id`, reading);
    requireNew(seen.issuer, one.issuer, `${path}.issuer`, reading);
    checkKeySource(one, path, reading);
    for (const [at, policy] of (one.policies ?? []).entries()) {
      requireNew(seen.policy, policy.id, `${path}.policies[${at}].id`, reading);
      checkPolicy(policy, `${path}.policies[${at}]`, reading);
    }
  }
}

function requireNew(seen: Set<string>, name: string | undefined, path: string, reading: Reading): void {
  if (name === undefined) return;
  if (seen.has(name)) {
    reading.problem(path, {
      problem: `"${name}" is there twice`,
      allowed: 'a name that no other has',
      remedy: 'rename one of them',
    });
  }
  seen.add(name);
}

function checkKeySource(one: Partial<IssuerSettings>, path: string, reading: Reading): void {
  const { jwks_file: file, jwks_uri: uri, issuer = '' } = one;
  if (file !== undefined && uri !== undefined) {
    reading.problem(`${path}.jwks_uri`, {
      problem: 'jwks_file is there too',
      allowed: 'one of both',
      remedy: 'remove one',
    });
  }
  if (file !== undefined) {
    for (const name of ['ca_file', 'fetch_token_file'] as const) {
      if (one[name] === undefined) continue;
      reading.problem(`${path}.${name}`, {
        problem: 'has no effect beside jwks_file',
        allowed: 'a file for keys that are fetched',
        remedy: 'remove it',
      });
    }
    return;
  }
  const [address, place] = uri === undefined ? [issuer, 'issuer'] : [uri, 'jwks_uri'];
  if (isSafeAddress(address)) return;
  reading.problem(`${path}.${place}`, {
    problem: 'is no address that keys can be fetched from safely',
    allowed: 'an https:// address, or http:// on a loopback address',
    remedy: 'correct it, or name jwks_file',
  });
}

function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  const isLoopback = ['localhost', '[::1]'].includes(url.hostname) || url.hostname.startsWith('127.');
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback);
}

function checkPolicy(policy: Partial<PolicySettings>, path: string, reading: Reading): void {
  const { if: conditions = {}, acts_as: word = 'derived', role, workspace, key } = policy;
  if (policy.if !== undefined && Object.keys(conditions).length === 0) {
    reading.problem(`${path}.if`, {
      problem: 'lets in every token of the issuer',
      allowed: 'at least one claim with what it must be',
      remedy: 'name one, such as sub: "*" where that is meant',
    });
  }
  for (const [name, wanted] of Object.entries(conditions))
    checkCondition(`${path}.if.${name}`, wanted, reading);
  if (word === 'management') checkRole(role, path, reading);
  else if (role !== undefined) refuse(`${path}.role`, 'has no effect without acts_as: management', reading);
  if (word !== 'derived' && workspace !== undefined) {
    refuse(`${path}.workspace`, 'has no effect without acts_as: derived', reading);
  }
  const isSet = (member: unknown) => member !== undefined && member !== false;
  const { rates = {}, ...limits }: Partial<PolicySettings['key']> = key ?? {};
  const hasLimits = [...Object.values(limits), ...Object.values(rates)].some(isSet);
  if (word !== 'derived' && hasLimits)
    refuse(`${path}.key`, 'has no effect without acts_as: derived', reading);
  if (limits.limit_reset !== undefined && limits.limit === undefined) {
    refuse(`${path}.key.limit_reset`, 'has no effect without limit', reading);
  }
}

function checkCondition(path: string, wanted: unknown, reading: Reading): void {
  for (const value of [wanted].flat()) {
    if (typeof value !== 'string' || value.split('*').length <= 2) continue;
    reading.problem(path, {
      problem: `"${value}" has more than one *`,
      allowed: 'a text with at most one *, which stands for any characters',
      remedy: 'write a list of simpler texts',
    });
  }
}

function checkRole(role: Role | undefined, path: string, reading: Reading): void {
  const allowed = roles.filter((one) => one !== 'owner' && !hasOwnThings(one));
  if (role !== undefined && allowed.includes(role)) return;
  reading.problem(role === undefined ? path : `${path}.role`, {
    problem: role === undefined ? 'role is missing' : `no workload can be ${role}`,
    allowed: allowed.join(', '),
    remedy: role === undefined ? 'add role' : 'choose another one',
  });
}

function refuse(path: string, problem: string, reading: Reading): void {
  reading.problem(path, { problem, allowed: 'nothing here', remedy: 'remove it' });
}
