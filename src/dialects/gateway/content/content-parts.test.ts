import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, refusal } from '../../../../test/support/request-parsing.ts';
import { HeadgateError } from '../../../core/errors.ts';

/** Parts of a user message and the exact answer to them (docs/spec/requests.md#content-parts). */
const refused: readonly (readonly [object, string])[] = [
  [{}, '.type: is required, one of "input_text", "input_image", "input_file", "input_audio", "input_video"'],
  [{ type: 'input_text' }, '.text: is required, expected a string'],
  [{ type: 'input_text', text: null }, '.text: expected a string, got null'],
  [
    { type: 'output_text', text: 'x' },
    '.type: must be one of "input_text", "input_image", "input_file", "input_audio", "input_video", got "output_text"',
  ],
  [
    { type: 'input_text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1d' } },
    '.cache_control.ttl: must be one of "5m", "1h", got "1d"',
  ],
  [
    { type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'auto' } },
    '.prompt_cache_breakpoint.mode: must be one of "explicit", got "auto"',
  ],
  [{ type: 'input_image' }, ': needs one of "image_url", "file_id"'],
  [{ type: 'input_image', image_url: null, file_id: null }, ': needs one of "image_url", "file_id"'],
  [
    { type: 'input_image', image_url: 'data:,', file_id: 'f' },
    ': must have only one of "image_url", "file_id"',
  ],
  [{ type: 'input_image', image_url: 5 }, '.image_url: expected a string, got a number'],
  [
    { type: 'input_image', image_url: 'file:///etc/passwd' },
    '.image_url: must be an http or https URL or a data URL, got "file:///etc/passwd"',
  ],
  [
    { type: 'input_image', file_id: 'f', detail: 'ultra' },
    '.detail: must be one of "auto", "high", "low", "original", got "ultra"',
  ],
  [{ type: 'input_file', filename: 'a.pdf' }, ': needs one of "file_data", "file_url", "file_id"'],
  [
    { type: 'input_file', file_url: 'ftp://127.0.0.1/' },
    '.file_url: must be an http or https URL, got "ftp://127.0.0.1/"',
  ],
  [{ type: 'input_audio' }, '.input_audio: is required, expected an object'],
  [
    { type: 'input_audio', input_audio: { data: 'AA', format: 'ogg' } },
    '.input_audio.format: must be one of "mp3", "wav", got "ogg"',
  ],
  [
    { type: 'input_audio', input_audio: { data: 'https://127.0.0.1/a', format: 'wav' } },
    '.input_audio.data: expected plain base64, got a URL',
  ],
  [{ type: 'input_video' }, '.video_url: is required, expected a string'],
  [
    { type: 'input_video', video_url: 'data:,', processing: 'fast' },
    '.processing: must be one of "agentic", "static", got "fast"',
  ],
];

const undecodable: typeof refused = [
  [{ type: 'input_audio', input_audio: { data: 'A', format: 'wav' } }, '.input_audio.data: expected base64'],
  [
    { type: 'input_video', video_url: 'data:video/x-msvideo;base64,AAAA' },
    '.video_url: must be mp4, mpeg, mov or webm video, got "video/x-msvideo"',
  ],
  [{ type: 'input_video', video_url: 'data:video/mp4,x' }, '.video_url: the video is not in base64'],
  [{ type: 'input_video', video_url: 'data:video/mp4;base64,?' }, '.video_url: expected base64'],
  [{ type: 'input_file', file_data: 'no base64' }, '.file_data: expected base64'],
  [{ type: 'input_file', file_data: 'data:application/pdf;base64,AAAAA' }, '.file_data: expected base64'],
];

for (const [part, message] of [...refused, ...undecodable]) {
  test(`a part is refused: ${message.slice(0, 80)}`, () => {
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'x' }, part] }];
    assert.deepEqual(refusal({ input }), [400, `input[0].content[1]${message}`]);
  });
}

test('pictures inside the request are of four types, in base64', () => {
  const errorOf = (image_url: string): unknown => {
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }];
    try {
      const [item] = parse({ input }).canonical.items;
      return item?.kind === 'message' && item.content[0]?.kind === 'image' ? item.content[0].url : undefined;
    } catch (error) {
      assert(error instanceof HeadgateError);
      return [error.status, error.type, error.message];
    }
  };
  const place = 'input[0].content[0].image_url';
  for (const type of ['png', 'jpeg', 'webp', 'gif']) {
    assert.equal(errorOf(`data:image/${type};base64,AAAA`), `data:image/${type};base64,AAAA`);
  }
  assert.equal(errorOf('data:image/jpg;base64,AA=='), 'data:image/jpeg;base64,AA==');
  assert.equal(errorOf('DATA:IMAGE/PNG;BASE64,AAA'), 'DATA:IMAGE/PNG;BASE64,AAA');
  for (const [type, shown] of [
    ['image/tiff;base64', 'image/tiff'],
    ['image/svg+xml', 'image/svg+xml'],
    ['application/pdf;base64', 'application/pdf'],
    ['', ''],
  ]) {
    const message = `${place}: must be image/png, image/jpeg, image/webp or image/gif, got "${shown}"`;
    assert.deepEqual(errorOf(`data:${type},AAAA`), [400, 'unsupported_image_format', message]);
  }
  for (const url of [
    'image/png;base64,',
    'image/png;base64',
    'image/png,AAAA',
    'image/png;base64,A A',
    'image/png;base64,AAAAA',
  ]) {
    const message = `${place}: the picture is not in base64`;
    assert.deepEqual(errorOf(`data:${url}`), [400, 'invalid_image', message]);
  }
});

test('a picture may be as large as a request', () => {
  const image_url = `data:image/png;base64,${'A'.repeat(60_000_000)}`;
  assert.equal(
    parse({ input: [{ role: 'user', content: [{ type: 'input_image', image_url }] }] }).models.length,
    1,
  );
});

function partsOf(content: object[], body: object = {}): unknown {
  const [item] = parse({ ...body, input: [{ role: 'user', content }] }).canonical.items;
  assert(item?.kind === 'message');
  return JSON.parse(JSON.stringify(item.content));
}

test('every kind of input part becomes canonical', () => {
  const content = [
    { type: 'input_text', text: 'a' },
    { type: 'input_image', image_url: 'HTTPS://127.0.0.1/a.png' },
    { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'low' },
    { type: 'input_file', file_data: 'JVBERi0=', filename: 'a.pdf' },
    { type: 'input_file', file_url: 'https://127.0.0.1/a.pdf', file_data: null },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    { type: 'input_video', video_url: 'https://127.0.0.1/a.mp4', processing: 'static' },
  ];
  assert.deepEqual(partsOf(content), [
    { kind: 'text', text: 'a' },
    { kind: 'image', url: 'HTTPS://127.0.0.1/a.png', detail: 'auto' },
    { kind: 'image', url: 'data:image/png;base64,AA', detail: 'low' },
    { kind: 'file', data: 'JVBERi0=', filename: 'a.pdf' },
    { kind: 'file', url: 'https://127.0.0.1/a.pdf' },
    { kind: 'audio', data: 'AAAA', format: 'mp3' },
    { kind: 'video', url: 'https://127.0.0.1/a.mp4', processing: 'static' },
  ]);
});

const cached = [
  { type: 'input_text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
  { type: 'input_image', file_id: 'f', cache_control: { type: 'ephemeral' } },
  { type: 'input_text', text: 'b', prompt_cache_breakpoint: { mode: 'explicit' } },
];

test('blocks end cacheable prefixes', () => {
  assert.deepEqual(partsOf(cached), [
    { kind: 'text', text: 'a', cacheControl: { ttl: '1h' } },
    { kind: 'image', fileId: 'f', detail: 'auto', cacheControl: { ttl: '5m' } },
    { kind: 'text', text: 'b', cacheControl: { ttl: '5m' } },
  ]);
});

test('with prompt_cache_options only explicit breakpoints count', () => {
  const body = {
    prompt_cache_options: { mode: 'explicit', ttl: '1h' },
    cache_control: { type: 'ephemeral' },
  };
  assert.deepEqual(partsOf(cached, body), [
    { kind: 'text', text: 'a' },
    { kind: 'image', fileId: 'f', detail: 'auto' },
    { kind: 'text', text: 'b', cacheControl: { ttl: '1h' } },
  ]);
  assert.equal(parse(body).canonical.cacheControl, undefined);
});
