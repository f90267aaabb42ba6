import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { curlCode, pythonCode, typescriptCode } from '../../dashboard/text/code.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
let gateway: TestGateway;

before(async () => {
  const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
  gateway = await startGateway({ models: [modelOf('sandbox/echo', [sandbox])] });
});

after(() => gateway.stop());

test('the code of the playground runs, holds no key, and gives the answer', async () => {
  const input = `It's a "test" with \\ and $HOME and \`ticks\` and ü`;
  const request = { address: `${gateway.url}/api/v1`, body: { model: 'sandbox/echo', input } };
  const env = { ...process.env, HEADGATE_API_KEY: gateway.key, PYTHONUTF8: '1' };
  const folder = temporaryFolder();
  const program = join(folder, 'example.ts');
  writeFileSync(program, typescriptCode(request));
  const said = `[sandbox] ${input}`;
  assert.equal((await run(process.execPath, [program], { env })).stdout, `${said}\n`);
  assert.equal((await run('python3', ['-c', pythonCode(request)], { env })).stdout, `${said}\n`);
  const { stdout } = await run('sh', ['-c', curlCode(request)], { env });
  const [message] = JSON.parse(stdout).output;
  assert.equal(message.content[0].text, said);
  for (const code of [curlCode, typescriptCode, pythonCode]) assert.ok(!code(request).includes('sk-hg'));
});
