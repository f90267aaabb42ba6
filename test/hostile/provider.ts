import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatBody, chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { giveWay } from './end-with-us.ts';

/**
 * A provider whose answers have no end, in a process of its own; it tells its port when it listens. The model's name says
 * how it answers. `calm` is the one well-behaved model.
 */
if (process.argv[2] === 'hostile') giveWay();

/** Pieces that are written over and over again, as fast as they are taken. */
interface Endless {
  readonly type: string;
  readonly first: string;
  readonly again: Buffer;
}

const events = 'text/event-stream';
const usage = dataEvent({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 } });
const filler = 'lorem ipsum '.repeat(700);

const endless: Readonly<Record<string, Endless>> = {
  endless: { type: events, first: '', again: Buffer.from(chatChunk({ content: filler }).repeat(8)) },
  'endless-words': {
    type: events,
    first: '',
    again: Buffer.from(chatChunk({ content: 'word ' }).repeat(256)),
  },
  'endless-event': { type: events, first: 'data: {"id":"', again: Buffer.from(filler.repeat(8)) },
  'endless-body': { type: 'application/json', first: '{"id":"', again: Buffer.from(filler.repeat(8)) },
  'endless-usage': { type: events, first: '', again: Buffer.from(usage.repeat(256)) },
};

/** A page with more links than a parser takes. */
const page = `<html><body><p>First.</p>${'<a href="/x">l</a>'.repeat(450_000)}`;
/** JSON of 300 kB that has no end and no commas. */
const damaged = `{"a": [${'"x" '.repeat(75_000)}`;

const server = createServer(async (request, response) => {
  response.on('error', () => undefined);
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    return;
  }
  const { model, stream, messages = [] } = JSON.parse(await readText(request));
  const script = endless[model];
  if (script !== undefined) await pour(response, script);
  else if (model === 'damaged') answer(response, 'application/json', chatBody(damaged));
  else if (model === 'fetching' && messages.length < 3) answer(response, 'application/json', fetchCall());
  else if (stream === true) answer(response, events, chatStream('Good ', 'day.').join(''));
  else answer(response, 'application/json', chatBody('Good day.'));
});

/** A call of the tool that fetches pages, for the page of this provider. */
function fetchCall(): string {
  const { port } = server.address() as AddressInfo;
  const written = JSON.stringify({ url: `http://127.0.0.1:${port}/` });
  const call = { id: 'c1', type: 'function', function: { name: 'service_web_fetch', arguments: written } };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  const body = JSON.parse(chatBody(''));
  return JSON.stringify({ ...body, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

function answer(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': type }).end(body);
}

async function pour(response: ServerResponse, { type, first, again }: Endless): Promise<void> {
  response.writeHead(200, { 'content-type': type });
  if (first !== '') response.write(first);
  while (!response.destroyed) {
    if (response.write(again)) continue;
    await drained(response);
    // Others have their turn.
    await new Promise(setImmediate);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

server.listen(0, '127.0.0.1', 4096, () => process.send?.((server.address() as AddressInfo).port));
