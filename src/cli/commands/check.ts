import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type CheckedProvider, checkProvider } from '../../catalogue/check-provider.ts';
import type { Config, ServerConfig } from '../../config/config.ts';
import { exportSchema } from '../../config/export-schema.ts';
import { showConfig } from '../../config/show-config.ts';
import type { Catalogue } from '../../core/catalogue.ts';
import { showDiskUse } from '../../management/installation/installation.ts';
import { catalogueNotes, routerNotes } from '../../management/installation/risks.ts';
import { proxyFor } from '../../network/proxy-rules.ts';
import { createDriver } from '../../sandbox/create-driver.ts';
import type { SandboxReport } from '../../sandbox/sandbox-driver.ts';
import { flattenValues } from '../../util/flatten-values.ts';
import { messageOf } from '../../util/message-of.ts';
import { readTlsIdentity } from '../../util/tls-identity.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { formatPairs, formatTable } from '../format-table.ts';

/** Models a row of the table names. */
const mostNamed = 3;

type ShownDiskUse = ReturnType<typeof showDiskUse>;

interface CheckOptions {
  readonly live?: boolean;
  readonly schema?: boolean;
}

/** `check`: reads the configuration as the server would and shows what came of it. */
export function addCheckCommand(program: Command, context: CommandContext): void {
  program
    .command('check')
    .description('validate the configuration and show the effective values, secrets masked')
    .option('--live', 'also ask each provider for its model list')
    .option('--schema', 'print the JSON Schema of the configuration file for editors, and nothing else')
    .action(async ({ live, schema }: CheckOptions) => {
      if (schema === true) {
        context.environment.stdout(`${JSON.stringify(exportSchema(), undefined, 2)}\n`);
        return;
      }
      await check(context, live === true);
    });
}

async function check(context: CommandContext, live: boolean): Promise<void> {
  const { config, warnings } = await context.loadConfig();
  const { env, stderr } = context.environment;
  for (const warning of warnings) stderr(`warning: ${warning}\n`);
  checkTls(config.server);
  const shown = showConfig(config, env);
  const results = live ? await checkLive(config.catalogue) : undefined;
  const sandbox = await createDriver(config.tools.sandbox)?.probe();
  const verdict = `\nNo mistakes${config.file === undefined ? '; there is no configuration file' : ` in ${config.file}`}.\n`;
  const notes = [
    ...catalogueNotes(config.catalogue, { moderates: config.plugins.moderation !== undefined }),
    ...routerNotes(config.routing, config.catalogue),
    ...clientNotes(config.responses),
  ];
  const disk = await readDiskUse(context, config);
  const proxies = proxiesOf(config);
  const noted = notes.map((note) => `Note: ${note}.\n`).join('');
  const values =
    formatPairs(flattenValues(shown)) +
    verdict +
    noted +
    proxyLines(proxies) +
    sandboxLines(sandbox) +
    diskLine(disk);
  const text = results === undefined ? values : `${values}\n${liveTable(results)}`;
  const reports = { ...(results && { live: results }), ...(sandbox && { sandbox }), disk };
  context.answer({ valid: true, warnings, notes, config: shown, proxies, ...reports }, text);
  const failed = (results ?? []).filter(({ ok }) => !ok).map(({ provider }) => provider);
  if (failed.length > 0)
    throw new CommandFailure(`${failed.join(', ')} did not list models; the table says why`);
  if (sandbox !== undefined && sandbox.problems.length > 0)
    throw new CommandFailure(`tools.sandbox cannot be used: ${sandbox.problems.join('; ')}`);
}

/** What some clients need that is off by default. */
function clientNotes({ echoDefaults }: Config['responses']): readonly string[] {
  if (echoDefaults) return [];
  return [
    'strict clients of the open Responses standard refuse null for settings that a request did not make; responses.echo_defaults: true gives them the defaults',
  ];
}

/** What takes room; undefined where there is no database yet, the reason where it cannot be asked. */
async function readDiskUse(
  context: CommandContext,
  config: Config,
): Promise<ShownDiskUse | string | undefined> {
  const file = /^sqlite:(.+)$/.exec(config.database.url)?.[1];
  // A look at the configuration creates no database.
  if (file !== undefined && !existsSync(file)) return undefined;
  try {
    let disk: ShownDiskUse | undefined;
    await context.withOpenStorage(config, async (storage) => {
      disk = showDiskUse(await storage.diskUse());
    });
    return disk;
  } catch (error) {
    return messageOf(error);
  }
}

function diskLine(disk: ShownDiskUse | string | undefined): string {
  if (disk === undefined) return '';
  if (typeof disk === 'string') return `What takes room could not be read: ${disk}\n`;
  const { database_bytes: database, files_bytes: files, spool_bytes: spool, free_bytes: free } = disk;
  const parts = [
    `database ${mebibytes(database)}`,
    `files ${mebibytes(files)}`,
    ...(spool === undefined ? [] : [`charges that wait beside the database ${mebibytes(spool)}`]),
    ...(free === undefined ? [] : [`free on the disk ${mebibytes(free)}`]),
  ];
  return `Room: ${parts.join(', ')}.\n`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

interface UsedProxy {
  readonly provider: string;
  readonly proxy: string;
  /** The variable or setting that names it. */
  readonly source: string;
}

/** Which providers are reached through a proxy. */
function proxiesOf({ catalogue, proxies }: Config): readonly UsedProxy[] {
  return [...catalogue.providers.values()].flatMap(({ slug, baseUrl, proxy: own }) => {
    const url = URL.parse(baseUrl ?? '');
    const used = url === null ? undefined : proxyFor(url, proxies, own);
    if (url === null || used === undefined) return [];
    const named = url.protocol === 'https:' ? proxies.https : proxies.http;
    const source = own === undefined ? (named?.source ?? '') : `providers.${slug}.proxy`;
    return [{ provider: slug, proxy: used.origin, source }];
  });
}

function proxyLines(used: readonly UsedProxy[]): string {
  return used.map(({ provider, proxy, source }) => `Proxy: ${provider} by ${proxy} (${source}).\n`).join('');
}

/** Which limits of the sandbox hold. */
function sandboxLines(report: SandboxReport | undefined): string {
  return (report?.holds ?? []).map((limit) => `The sandbox holds commands to: ${limit}.\n`).join('');
}

/** @throws CommandFailure when the server could not start with these files. */
function checkTls({ tls }: ServerConfig): void {
  if (tls === undefined) return;
  try {
    readTlsIdentity(tls);
  } catch (error) {
    throw new CommandFailure(messageOf(error));
  }
}

function liveTable(results: readonly LiveResult[]): string {
  const rows = results.map(({ provider, ok, detail, unknown }) => {
    const missing = unknown.length === 0 ? '' : `; not among them: ${firstOf(unknown)}`;
    return [provider, ok ? 'ok' : 'FAILED', `${detail}${missing}`];
  });
  return formatTable([{ heading: 'PROVIDER' }, { heading: 'STATE' }, { heading: 'DETAIL' }], rows);
}

function firstOf(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return names.slice(0, mostNamed).join(', ') + (rest > 0 ? ` and ${rest} more of the catalogue` : '');
}

/** What a provider said when it was asked for its models. */
interface LiveResult extends Pick<CheckedProvider, 'ok' | 'detail' | 'listed' | 'unknown'> {
  readonly provider: string;
}

/** Asks every provider in service for its model list, with its own credentials (docs/spec/operations.md#commands). */
async function checkLive({ providers, models }: Catalogue): Promise<readonly LiveResult[]> {
  const endpoints = [...models.values()].flatMap((model) => model.endpoints);
  return Promise.all(
    [...providers.values()].map(async (provider) => {
      const served = endpoints.filter((endpoint) => endpoint.provider === provider);
      const names = served.map(({ upstreamModel }) => upstreamModel);
      const { ok, detail, listed, unknown } = await checkProvider(provider, names);
      return { provider: provider.slug, ok, detail, ...(listed === undefined ? {} : { listed }), unknown };
    }),
  );
}
