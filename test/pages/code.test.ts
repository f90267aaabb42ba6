import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type CodeRequest, curlCode, pythonCode, typescriptCode } from '../../dashboard/text/code.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
let gateway: TestGateway;

before(async () => {
  const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
  const models = ['sandbox/echo', 'sandbox/json', 'sandbox/tools'].map((id) => modelOf(id, [sandbox]));
  gateway = await startGateway({ models });
});

after(() => gateway.stop());

const languages = {
  curl: (request: CodeRequest, env: NodeJS.ProcessEnv) => {
    const program = join(temporaryFolder(), 'example.sh');
    writeFileSync(program, curlCode(request));
    return run('sh', [program], { env });
  },
  typescript: (request: CodeRequest, env: NodeJS.ProcessEnv) => {
    const program = join(temporaryFolder(), 'example.ts');
    writeFileSync(program, typescriptCode(request));
    return run(process.execPath, [program], { env });
  },
  python: (request: CodeRequest, env: NodeJS.ProcessEnv) => {
    const program = join(temporaryFolder(), 'example.py');
    writeFileSync(program, pythonCode(request));
    return run('python3', [program], { env });
  },
};

/** A picture of some size: a command line could not hold it. */
const picture = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(200_000)}`;
const input = `It's a "test" with \\ and $HOME and \`ticks\` and ü\nEND\n\u202eturned`;
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = { type: 'function', name: 'weather', parameters: schema };

const bodies: Readonly<Record<string, Record<string, unknown>>> = {
  'a prompt of every character': { model: 'sandbox/echo', input },
  'a picture, settings and preferences': {
    model: 'sandbox/echo',
    instructions: "Don't",
    temperature: 0.5,
    provider: { sort: 'price' },
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: input },
          { type: 'input_image', image_url: picture, detail: 'auto' },
        ],
      },
    ],
  },
  'an output schema': {
    model: 'sandbox/json',
    input,
    text: { format: { type: 'json_schema', name: 'answer', schema } },
  },
  'tools with a result': {
    model: 'sandbox/tools',
    tools: [weather],
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Brest"}' },
      { type: 'function_call_output', call_id: 'call_1', output: input },
    ],
  },
};

const textOf = (answer: string): string => JSON.parse(answer).output[0].content[0].text;

for (const [name, body] of Object.entries(bodies)) {
  test(`the three programs of the playground give the same answer: ${name}`, async () => {
    const request = { address: `${gateway.url}/api/v1`, body };
    const env = { ...process.env, HEADGATE_API_KEY: gateway.key, PYTHONUTF8: '1' };
    const said = textOf(await (await gateway.post(body)).text());
    assert.equal(textOf((await languages.curl(request, env)).stdout), said);
    assert.equal((await languages.typescript(request, env)).stdout, `${said}\n`);
    assert.equal((await languages.python(request, env)).stdout, `${said}\n`);
    for (const code of [curlCode, typescriptCode, pythonCode]) {
      assert.ok(!code(request).includes('sk-hg'), 'no key');
      assert.ok(!code(request).includes('\u202e'), 'no mark that reorders the code');
    }
  });
}

test('an answer without text prints its items', async () => {
  const body = { model: 'sandbox/tools', input: 'Weather', tools: [weather] };
  const request = { address: `${gateway.url}/api/v1`, body };
  const env = { ...process.env, HEADGATE_API_KEY: gateway.key };
  for (const language of [languages.typescript, languages.python]) {
    const [item] = JSON.parse((await language(request, env)).stdout);
    assert.deepEqual([item.type, item.name], ['function_call', 'weather']);
  }
});
