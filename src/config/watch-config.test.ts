import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Config } from './config.ts';
import { loadConfig } from './load-config.ts';
import { type ConfigChange, watchConfig } from './watch-config.ts';

/** Puts a file in place whole: one written in place may be read half written when the disk is busy. */
async function put(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

type News = { config: Config; change: ConfigChange } | { reasons: readonly string[] } | { unchanged: true };

/** Starts a watch on a file and gives each piece of news in turn. */
async function startWatch(text: string, changedMeanwhile = text) {
  const folder = temporaryFolder();
  const file = join(folder, 'headgate.yaml');
  await writeFile(file, text);
  const options = { environment: { KEY: 'a' }, directory: folder };
  const { config } = await loadConfig(options);
  if (changedMeanwhile !== text) await writeFile(file, changedMeanwhile);
  const news: News[] = [];
  let wake = Promise.withResolvers<void>();
  const tell = (item: News) => {
    news.push(item);
    wake.resolve();
  };
  const watch = watchConfig(config, options, {
    changed: (next, change) => tell({ config: next, change }),
    refused: (reasons) => tell({ reasons }),
    unchanged: () => tell({ unchanged: true }),
  });
  return {
    file,
    watch,
    next: async (): Promise<News> => {
      while (news.length === 0) {
        await wake.promise;
        wake = Promise.withResolvers<void>();
      }
      const item = news.shift();
      assert.ok(item);
      return item;
    },
    news,
    stop: () => watch.close(),
  };
}

test('a change between reading the file and watching it is not missed', async (t) => {
  const watched = await startWatch('log_level: info\n', 'limits: { free_models: { per_minute: 7 } }\n');
  t.after(watched.stop);
  const news = await watched.next();
  assert.ok('config' in news);
  assert.deepEqual(news.change.live, ['limits']);
});

test('a changed file is read again; what needs a restart is named and left', async (t) => {
  const watched = await startWatch('server: { port: 1 }\n');
  t.after(watched.stop);
  const slower = 'log_level: warn\ncompat: { aliases: [word] }\nlimits: { free_models: { per_minute: 7 } }\n';
  await put(watched.file, `server: { port: 2 }\n${slower}`);
  const news = await watched.next();
  assert.ok('config' in news);
  assert.deepEqual(news.change, { live: ['limits'], needRestart: ['server', 'log_level', 'compat'] });
  assert.equal(news.config.limits.freeModels.perMinute, 7);
  assert.equal(news.config.server.port, 1);
});

test('the numbers of routing and the place of the installation are taken over while running', async (t) => {
  const watched = await startWatch('log_level: info\n');
  t.after(watched.stop);
  const numbers = 'routing: { max_attempts: 3, health: { rate_limit_wait: 2s } }';
  await put(watched.file, `${numbers}\nlocation: { region: lab-2 }\n`);
  const news = await watched.next();
  assert.ok('config' in news);
  assert.deepEqual(news.change, { live: ['location', 'routing'], needRestart: [] });
  const { routing, location } = news.config;
  assert.deepEqual([routing.maxAttempts, routing.health.rateLimitWait, location.region], [3, 2000, 'lab-2']);
});

test('a broken file keeps the old configuration and says why; a mended one counts again', async (t) => {
  const watched = await startWatch('routing: { max_models: 1 }\n');
  t.after(watched.stop);
  await put(watched.file, 'rooting: { max_models: 2 }\n');
  const refused = await watched.next();
  assert.ok('reasons' in refused);
  assert.match(
    refused.reasons[0] ?? '',
    /^headgate\.yaml:1: rooting: unknown key; .*did you mean "routing"\?$/,
  );
  await put(watched.file, 'routing: { max_models: 3 }\n');
  const mended = await watched.next();
  assert.ok('config' in mended);
  assert.equal(mended.config.routing.maxModels, 3);
});

test('a file that is empty is one that is being written: what it said stays until it is', async (t) => {
  const watched = await startWatch('routing: { max_models: 1 }\n');
  t.after(watched.stop);
  await writeFile(watched.file, '');
  const refused = await watched.next();
  assert.ok('reasons' in refused);
  assert.match(refused.reasons[0] ?? '', /^headgate\.yaml: the file is empty; write it anew, or restart/);
  await put(watched.file, 'routing: { max_models: 2 }\n');
  const written = await watched.next();
  assert.ok('config' in written);
  assert.equal(written.config.routing.maxModels, 2);
});

test('a file that is gone is a broken one: what it said stays', async (t) => {
  const watched = await startWatch('routing: { max_models: 1 }\n');
  t.after(watched.stop);
  await rm(watched.file);
  const refused = await watched.next();
  assert.ok('reasons' in refused);
  assert.deepEqual(refused.reasons, ['headgate.yaml: the file is gone; put it back, or restart without one']);
  await put(watched.file, 'routing: { max_models: 2 }\n');
  const back = await watched.next();
  assert.ok('config' in back);
  assert.equal(back.config.routing.maxModels, 2);
});

test('a file that nothing can be known of is a broken one', async (t) => {
  const watched = await startWatch('routing: { max_models: 1 }\n');
  t.after(watched.stop);
  await symlink(watched.file, `${watched.file}.new`);
  await rename(`${watched.file}.new`, watched.file);
  const refused = await watched.next();
  assert.ok('reasons' in refused);
  assert.match(refused.reasons[0] ?? '', /^headgate\.yaml: the file cannot be read \(ELOOP\)/);
  await rm(watched.file);
  await put(watched.file, 'routing: { max_models: 2 }\n');
  while (!('config' in (await watched.next())));
});

test('SIGHUP reads the file again, and tells also that nothing changed', async (t) => {
  const watched = await startWatch(`providers: { openai: { api_key: "\${KEY}" } }\n`);
  t.after(watched.stop);
  await watched.watch.reload();
  assert.deepEqual(await watched.next(), { unchanged: true });
  await put(watched.file, 'providers: { openai: { api_key: b } }\n');
  process.kill(process.pid, 'SIGHUP');
  const news = await watched.next();
  assert.ok('config' in news);
  assert.deepEqual(news.change, { live: ['providers, catalog, models'], needRestart: [] });
  assert.equal(news.config.catalogue.providers.get('openai')?.apiKey?.reveal(), 'b');
});

test('a mounted configuration whose folder is swapped by a link is read again', async (t) => {
  // As Kubernetes mounts a ConfigMap: headgate.yaml -> ..data/headgate.yaml, ..data -> a folder of one version.
  const folder = temporaryFolder();
  const version = async (name: string, text: string) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'headgate.yaml'), text);
  };
  await version('..first', 'log_level: info\n');
  await symlink('..first', join(folder, '..data'));
  await symlink(join('..data', 'headgate.yaml'), join(folder, 'headgate.yaml'));
  const options = { environment: {}, directory: folder };
  const { config } = await loadConfig(options);
  const changed = Promise.withResolvers<ConfigChange>();
  const watch = watchConfig(config, options, {
    changed: (_next, change) => changed.resolve(change),
    refused: (reasons) => changed.reject(new Error(reasons.join('\n'))),
    unchanged: () => undefined,
  });
  t.after(() => watch.close());
  await version('..second', 'limits: { free_models: { per_minute: 7 } }\n');
  await symlink('..second', join(folder, '..data_tmp'));
  await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  assert.deepEqual((await changed.promise).live, ['limits']);
});
