import type { RunningGateway } from './gateways.ts';
import type { Shot } from './load-connection.ts';
import { firstMark, lastMark } from './scripted-answers.ts';

const instructions =
  'You are the assistant of a support desk. Answer in plain words, name the page of the manual you rely on, and ask back when a question can be read in two ways. Never promise a date.';

const conversation = [
  { role: 'user', content: 'My scanner stopped after the update and the light blinks twice. What can I do?' },
  {
    role: 'assistant',
    content:
      'Two blinks mean that the feeder sensor does not answer (manual, page 41). Please open the lid, take out the tray and look whether the small grey lever moves freely. Tell me what you find, and which version the update installed.',
  },
  {
    role: 'user',
    content:
      'The lever moves. The version is 8.2.1, and before it was 8.1.7. I also noticed that the display shows the wrong time since then; could the two be related? I need it running again before the end of the week, because the archive is moving to the new building.',
  },
] as const;

/** The request of every client of this run: three turns of a conversation, about 1.3 kB of JSON. */
function clientBody(gateway: RunningGateway, streamed: boolean): string {
  const settings = { model: gateway.model, stream: streamed, temperature: 0.7 };
  return JSON.stringify(
    gateway.dialect === 'responses'
      ? { ...settings, max_output_tokens: 2048, instructions, input: conversation }
      : {
          ...settings,
          max_tokens: 2048,
          ...(streamed ? { stream_options: { include_usage: true } } : {}),
          messages: [{ role: 'system', content: instructions }, ...conversation],
        },
  );
}

/** The same request as the bytes of a kept-alive HTTP/1.1 connection. */
export function clientShot(gateway: RunningGateway, streamed: boolean): Shot {
  const body = clientBody(gateway, streamed);
  const head = [
    `POST ${gateway.url.pathname} HTTP/1.1`,
    `host: ${gateway.url.host}`,
    'content-type: application/json',
    ...Object.entries(gateway.headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return {
    port: Number(gateway.url.port),
    request: `${head.join('\r\n')}\r\n\r\n${body}`,
    streamed,
    marks: { first: firstMark, last: lastMark },
    varies: gateway.varies ?? [],
  };
}

/**
 * Sends one unstreamed and one streamed request and compares the text with the script's, so that no figure is
 * measured on wrong answers.
 * @throws Error when a status or a text is not the expected one.
 */
export async function checkAnswers(gateway: RunningGateway, expected: string): Promise<void> {
  for (const streamed of [false, true]) {
    const answer = await fetch(gateway.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...gateway.headers },
      body: clientBody(gateway, streamed),
    });
    const body = await answer.text();
    const text = streamed ? streamedText(body) : wholeText(JSON.parse(body));
    if (answer.status !== 200 || text !== expected) {
      throw new Error(`${gateway.name} answered wrongly (${answer.status}):\n${body.slice(0, 2000)}`);
    }
  }
}

interface WholeAnswer {
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
  readonly output?: readonly { readonly content?: readonly { readonly text?: string }[] }[];
}

function wholeText(answer: WholeAnswer): string {
  const parts = answer.output?.flatMap((item) => item.content ?? []).map((part) => part.text ?? '');
  return parts?.join('') ?? answer.choices?.[0]?.message.content ?? '';
}

interface StreamEvent {
  readonly type?: string;
  readonly delta?: string;
  readonly choices?: readonly { readonly delta: { readonly content?: string } }[];
}

function streamedText(body: string): string {
  const lines = body.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]');
  const events = lines.map((line): StreamEvent => JSON.parse(line.slice(6)));
  return events
    .map((event) =>
      event.type === 'response.output_text.delta'
        ? (event.delta ?? '')
        : (event.choices?.[0]?.delta.content ?? ''),
    )
    .join('');
}
