import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { checkContract } from '../support/contract.ts';
import type { TestGateway } from '../support/gateway.ts';
import { idOf, startKeeping } from '../support/keeping-gateway.ts';

const canary = 'zebra-canary';
const path = '/generation/content';

describe('what was said in a call is kept', () => {
  test('and read in the form of the contract, with the conversation beside it', async (t) => {
    const { ask, kept } = await startKeeping(t);
    const answer = await ask({ instructions: 'Be kind.', input: `Hello ${canary}` });
    assert.equal(answer.status, 200);
    const data = await kept(idOf(answer));
    checkContract('GenerationContentResponse', { data });
    assert.deepEqual(data.input.messages, [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: `Hello ${canary}` },
    ]);
    assert.deepEqual(data.output, { completion: 'Good day.', reasoning: null });
    assert.equal(data.error, null);
    assert.deepEqual(data.conversation, {
      system: [{ type: 'text', content: 'Be kind.' }],
      messages: [{ role: 'user', parts: [{ type: 'text', content: `Hello ${canary}` }] }],
      tools: [],
      output: {
        role: 'assistant',
        parts: [{ type: 'text', content: 'Good day.' }],
        finish_reason: 'stop',
      },
      truncated: false,
      characters_left_out: 0,
    });
  });

  test('at every door, streamed or not', async (t) => {
    const { ask, kept, gateway, manage } = await startKeeping(t);
    const messages = [{ role: 'user', content: 'Hello' }];
    for (const stream of [false, true]) {
      for (const [door, body] of [
        ['responses', { input: 'Hello' }],
        ['chat/completions', { messages }],
        ['messages', { messages, max_tokens: 100 }],
      ] as const) {
        const answer = await ask({ ...body, stream }, gateway.key, door);
        assert.equal(answer.status, 200, answer.text);
        const data = await kept(idOf(answer));
        assert.deepEqual(
          [data.input.messages.at(-1), data.output.completion],
          [{ role: 'user', content: 'Hello' }, 'Good day.'],
          `${door} ${stream}`,
        );
      }
    }
    const { body } = await manage('GET', '/audit?limit=100');
    assert.ok(body.data.some(({ action }: { action: string }) => action === 'content.read'));
  });

  test('as the provider was sent it, behind guardrails', async (t) => {
    const { ask, kept, guard, gateway } = await startKeeping(t);
    await guard(
      { content_filter_builtins: [{ slug: 'email', action: 'redact' }] },
      { keys: [gateway.keyHash] },
    );
    const answer = await ask('Write to anna@example.com');
    const data = await kept(idOf(answer));
    assert.match(data.input.messages[0].content, /^Write to \[/, answer.text);
  });

  test('with how a failed call failed', async (t) => {
    const { ask, kept, upstream } = await startKeeping(t);
    upstream.play({ status: 500, whole: JSON.stringify({ error: { message: 'no', code: 'broken' } }) });
    const failed = await ask({ input: 'Hello', stream: false });
    assert.ok(failed.status >= 500, failed.text);
    const data = await kept(idOf(failed));
    assert.deepEqual(data.output, { completion: null, reasoning: null });
    assert.equal(data.error.status, failed.status);
    assert.equal(data.error.provider_name, 'north');
    assert.equal(data.error.message, failed.body.error.message);
  });

  test('sealed: nothing of it is readable in the database, the log or anywhere else', async (t) => {
    const { ask, kept, gateway } = await startKeeping(t);
    const id = idOf(await ask({ input: canary, metadata: { word: canary } }));
    await kept(id);
    const found = await gateway.storage.contents.find(gateway.account.id, id, 0);
    assert.ok(found && found.sealed.length > 50);
    assert.ok(!Buffer.from(found.sealed, 'base64').includes(canary));
    assert.ok(!gateway.log.join('').includes(canary));
    assert.ok(!(await (await gateway.get('/metrics')).text()).includes(canary));
  });
});

/** Whether a key learns that what is said with it may be kept. */
async function keepsContent(gateway: TestGateway): Promise<boolean> {
  const { data } = (await (await gateway.get('/api/v1/key')).json()) as {
    readonly data: { readonly content_logging: boolean };
  };
  return data.content_logging;
}

describe('nothing is kept', () => {
  test('unless the operator, the account and the workspace say so', async (t) => {
    const { ask, manage, notKept, workspace, gateway } = await startKeeping(t);
    const keeping = () => keepsContent(gateway);
    assert.equal(await keeping(), true);
    await manage('PATCH', workspace, { is_observability_io_logging_enabled: false });
    assert.equal(await keeping(), false);
    const ofWorkspace = idOf(await ask('Hello'));
    assert.equal((await notKept(ofWorkspace)).status, 404);
    await gateway.storage.accounts.update(gateway.account.id, { contentLogging: false });
    await manage('PATCH', workspace, { name: 'Default' });
    assert.equal(await keeping(), false);
    const ofAccount = idOf(await ask('Hello'));
    await gateway.storage.accounts.update(gateway.account.id, { contentLogging: true });
    assert.equal((await notKept(ofAccount)).status, 404);
  });

  test('where the file says no', async (t) => {
    const off = { contentLogging: { enabled: false, keepDays: 90, queue: 1_000_000 } };
    const { ask, manage, gateway } = await startKeeping(t, { config: off });
    const id = idOf(await ask('Hello'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal((await manage('GET', `${path}?id=${id}`)).status, 404);
    assert.equal(await keepsContent(gateway), false);
  });

  test('of a key that forbids it, and of keys that the workspace does not list', async (t) => {
    const { ask, manage, notKept, workspace, gateway, kept } = await startKeeping(t);
    const made = await manage('POST', '/keys', { name: 'quiet', content_logging: 'off' });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.data.content_logging, 'off');
    const quiet = idOf(await ask('Hello', made.body.key));
    assert.equal((await notKept(quiet)).status, 404);
    const { number } = (await manage('GET', `/keys/${gateway.keyHash}`)).body.data;
    const other = await gateway.createKey();
    const listed = await manage('PATCH', workspace, { io_logging_api_key_ids: [number] });
    assert.equal(listed.status, 200, listed.text);
    await kept(idOf(await ask('Hello')));
    const left = idOf(await ask('Hello', other));
    assert.equal((await notKept(left)).status, 404);
    const unknown = await manage('PATCH', workspace, { io_logging_api_key_ids: [number, 7] });
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.error.message, /^io_logging_api_key_ids\[1\]: no key of this workspace/);
    const management = await manage('PATCH', `/keys/${hashKey(other)}`, { content_logging: 'inherit' });
    assert.equal(management.body.data.content_logging, 'inherit');
  });

  test('of requests outside the part that is kept, nor where the request says so', async (t) => {
    const { ask, manage, notKept, workspace, gateway } = await startKeeping(t);
    await manage('PATCH', workspace, { io_logging_sampling_rate: 0.0001 });
    const outside = idOf(await ask('Hello'));
    assert.equal((await notKept(outside)).status, 404);
    const answer = await gateway.post(
      { model: 'acme/atlas-4', input: canary },
      { 'x-service-content-logging': 'disabled' },
    );
    assert.equal((await notKept(idOf(answer))).status, 404);
  });

  test('where the request, a guardrail or the account wants nothing retained', async (t) => {
    const { ask, notKept, guard, gateway, manage, workspace } = await startKeeping(t);
    const ofRequest = idOf(await ask({ input: canary, provider: { zdr: true } }));
    assert.equal((await notKept(ofRequest)).status, 404);
    await gateway.storage.accounts.update(gateway.account.id, { zeroRetention: true });
    await manage('PATCH', workspace, { name: 'Default' });
    const ofAccount = idOf(await ask(canary));
    assert.equal(await keepsContent(gateway), false);
    await gateway.storage.accounts.update(gateway.account.id, { zeroRetention: false });
    await guard({ enforce_zdr: true }, { keys: [gateway.keyHash] });
    const ofGuardrail = idOf(await ask(canary));
    for (const id of [ofAccount, ofGuardrail]) assert.equal((await notKept(id)).status, 404);
  });

  test('of requests that a guardrail refuses', async (t) => {
    const { ask, guard, gateway, counted, kept } = await startKeeping(t);
    await guard({ content_filters: [{ pattern: canary, action: 'block' }] }, { keys: [gateway.keyHash] });
    assert.equal((await ask(canary)).status, 403);
    await kept(idOf(await ask('Hello')));
    assert.equal(await counted('kept'), 1);
  });
});

describe('what is kept goes away', () => {
  test('one by one, and nobody else can read or delete it', async (t) => {
    const { ask, kept, manage, gateway } = await startKeeping(t);
    const id = idOf(await ask('Hello'));
    await kept(id);
    const own = await gateway.get(`/api/v1${path}?id=${id}`);
    assert.equal(own.status, 403, 'keys of inference read nothing');
    const stranger = await gateway.storage.contents.find('org_other', id, 0);
    assert.equal(stranger, undefined);
    assert.equal((await manage('DELETE', `${path}?id=${id}`)).body.deleted, true);
    assert.equal((await manage('GET', `${path}?id=${id}`)).status, 404);
    assert.equal((await manage('DELETE', `${path}?id=${id}`)).status, 404);
    assert.equal((await manage('GET', path)).status, 400);
    const { body } = await manage('GET', '/audit?limit=100');
    const actions = body.data.map(({ action }: { action: string }) => action);
    assert.ok(actions.includes('content.delete'));
  });

  test('with its day, and its key with the last of it', async (t) => {
    const { ask, kept, gateway } = await startKeeping(t);
    const id = idOf(await ask('Hello'));
    await kept(id);
    const { contents } = gateway.storage;
    const day = 86_400_000;
    const found = await contents.find(gateway.account.id, id, 0);
    assert.ok(found);
    assert.equal(found.expiresAt - found.at, 90 * day);
    assert.equal(await contents.find(gateway.account.id, id, found.expiresAt), undefined);
    assert.equal(await contents.prune(found.expiresAt - 1, 10), 0);
    assert.ok(await contents.dayKey(found.dayKeyId));
    assert.equal(await contents.prune(found.expiresAt, 10), 1);
    assert.equal(await contents.dayKey(found.dayKeyId), undefined);
  });
});

test('a loop of tools is kept turn by turn, each with what it was sent', async (t) => {
  const { ask, kept, upstream, manage } = await startKeeping(t);
  const call = { index: 0, id: 'call_1', function: { name: 'service_datetime', arguments: '{}' } };
  const calling = [chatChunk({ tool_calls: [call] }), chatChunk({}, 'tool_calls'), 'data: [DONE]\n\n'];
  upstream.play({ steps: calling }, { steps: chatStream('It is late.') });
  const answer = await ask({ input: 'How late is it?', tools: [{ type: 'service:datetime' }] });
  assert.equal(answer.body.status, 'completed', answer.text);
  const { body: listed } = await manage('GET', `/generations?request=${idOf(answer)}`);
  const ids = listed.data.map(({ id }: { id: string }) => id).reverse();
  assert.equal(ids.length, 2);
  const [first, second] = await Promise.all(ids.map(kept));
  assert.equal(first.conversation.output.parts[0].type, 'tool_call');
  assert.equal(second.output.completion, 'It is late.');
  const roles = second.conversation.messages.map(({ role }: { role: string }) => role);
  assert.deepEqual(roles, ['user', 'assistant', 'tool']);
});

test('what was cut is said', async (t) => {
  const { ask, kept } = await startKeeping(t);
  const data = await kept(idOf(await ask('é"'.repeat(400_000))));
  assert.equal(data.conversation.truncated, true);
  assert.ok(data.conversation.characters_left_out >= 400_000);
});
