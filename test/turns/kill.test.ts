import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { openStorage } from '../../src/storage/open-storage.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { asks, callStream, smallModel } from './second-opinion.ts';

const calling: Script = { steps: callStream(asks('Well?')) };
const [begun = '', ...rest] = chatStream('Ask', ' again.');
const hanging: Script = { steps: [begun, ...rest.slice(0, 1)], ending: 'hang' };

interface Moment {
  readonly big: readonly Script[];
  readonly small: Script;
  /** Requests of both providers after which the gateway is killed. */
  readonly after: readonly [big: number, small: number];
  /** Models and costs of the records it leaves, in nano-USD. */
  readonly booked: readonly (readonly [model: string, cost: bigint])[];
}

const outer = ['acme/atlas-4', 135_000n] as const;
const inner = [smallModel, 57_000n] as const;
const moments: Readonly<Record<string, Moment>> = {
  'in the inner turn': { big: [calling], small: hanging, after: [1, 1], booked: [outer] },
  'in the turn after it': {
    big: [calling, hanging],
    small: { steps: chatStream('Ask', ' again.') },
    after: [2, 1],
    booked: [outer, inner],
  },
};

for (const [name, { big, small, after, booked }] of Object.entries(moments)) {
  test(`killed ${name}, the ledger holds the turns that were over, and nothing else`, async () => {
    const folder = temporaryFolder();
    await using first = await startFakeUpstream(...big);
    await using second = await startFakeUpstream(small);
    const gateway = await startProcess([folder, first.url, second.url]);
    const asked = ask(gateway);
    await eventually(
      'the moment',
      () => first.requests.length >= after[0] && second.requests.length >= after[1],
    );
    gateway.process.kill('SIGKILL');
    await once(gateway.process, 'exit');
    await asked;
    const storage = await openStorage(`sqlite:${folder}/books.db`, {
      dataDirectory: folder,
    });
    try {
      assert.deepEqual(await storage.ledger.verify(), []);
      const rows = await storage.generations.usage(0, 'model');
      assert.deepEqual(
        rows.map(({ group, cost }) => [group, cost]),
        booked,
      );
    } finally {
      await storage.close();
    }
  });
}

interface GatewayProcess {
  readonly process: ChildProcess;
  readonly url: string;
  readonly key: string;
}

async function startProcess(args: readonly string[]): Promise<GatewayProcess> {
  const script = join(import.meta.dirname, 'tool-gateway.ts');
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { process: child, ...(JSON.parse(line) as { url: string; key: string }) };
}

/** Asks, and lets the connection break. */
async function ask({ url, key }: GatewayProcess): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'acme/atlas-4', input: 'Shall I?', stream: true });
  await fetch(`${url}/api/v1/responses`, { method: 'POST', headers, body })
    .then((response) => response.text())
    .catch(() => undefined);
}
