import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../e2e/support/programs.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

let server: PostgresServer;
const directory = temporaryFolder();
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

/** Runs `headgate` on a database. */
function headgate(url: string, ...args: readonly string[]) {
  const env = {
    HEADGATE_DATABASE_URL: url,
    HEADGATE_DATA_DIR: directory,
    HEADGATE_PORT: '0',
    PATH: process.env.PATH ?? '',
  };
  return runProgram(process.execPath, [main, ...args], { cwd: directory, env });
}

/** That it fails with one line and no more, which says these things and no password. */
async function fails(url: string, says: RegExp, ...commands: readonly (readonly string[])[]): Promise<void> {
  for (const command of commands) {
    const { code, stdout, stderr } = await headgate(url, ...command);
    assert.equal(code, 1, `${command.join(' ')}: ${stdout}${stderr}`);
    assert.match(stderr, /^error: [^\n]+\n$/);
    assert.match(stderr, says);
    assert.doesNotMatch(stdout + stderr, /a password with|a%20password|SECRET/);
  }
}

const migrate = ['db', 'migrate'];
const list = ['keys', 'list'];
const lacksSchema = /the database lacks \d+ migration\(s\).*"headgate db migrate"/;

test('status tells of a database without a schema, then with one', async () => {
  const url = server.url(await server.createDatabase());
  const before = await headgate(url, 'db', 'status', '--json');
  assert.equal(before.code, 0, before.stderr);
  const { applied, pending } = JSON.parse(before.stdout);
  assert.deepEqual([applied, pending.includes('0001-start')], [[], true]);
  assert.equal((await headgate(url, ...migrate)).code, 0);
  assert.deepEqual(JSON.parse((await headgate(url, 'db', 'status', '--json')).stdout).pending, []);
});

test('a database that holds tables of somebody else is left as it is, and the message says what to do', async () => {
  const name = await server.createDatabase();
  await server.run('create table accounts (balance integer)', name);
  const says = /relation "accounts" already exists.*name an empty one in database\.url/;
  await fails(server.url(name), says, migrate, ['serve']);
  await fails(server.url(name), lacksSchema, list);
  const tables = await server.run("select tablename from pg_tables where schemaname = 'public'", name);
  assert.deepEqual(tables, [{ tablename: 'accounts' }]);
});

test('a user who may not make tables is told so', async () => {
  const name = await server.createDatabase();
  await server.run("create role guest login password 'SECRET'");
  await server.run('revoke create on schema public from public', name);
  const url = `postgres://guest:SECRET@127.0.0.1:${server.port}/${name}`;
  await fails(url, /permission denied for schema public.*must own the database/, migrate);
  await fails(url, lacksSchema, list);
});

test('a server that is away ends every command with one line', async (t) => {
  const url = server.url(await server.createDatabase());
  await headgate(url, ...migrate);
  t.after(() => server.start());
  await server.kill();
  const commands = [
    ...[migrate, ['db', 'status'], list, ['keys', 'create', '--name', 'x'], ['accounts', 'list']],
    ...[['credits', 'balance'], ['usage'], ['ledger', 'verify'], ['secrets', 'rotate'], ['serve']],
  ];
  await fails(url, /cannot be reached \(connect ECONNREFUSED.*that the server runs/, ...commands);
});
