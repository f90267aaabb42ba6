import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ErrorCode, errorTable, HeadgateError } from '../../src/core/errors.ts';
import type { Stage } from '../../src/stages/stage.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { publicClients } from './support/public-clients.ts';

// Every row of the error table, as clients of each public dialect get it.

/** The types of the Messages format by status; what is not here is an error of the interface. */
const messagesTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  409: 'invalid_request_error',
  413: 'invalid_request_error',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  524: 'timeout_error',
  529: 'overloaded_error',
};

const codes = Object.keys(errorTable) as ErrorCode[];
const secret = 'nobody may read this';

/** Fails a request with the row that its session names. */
const failing: Stage = {
  place: 'moderation',
  begin(request) {
    const code = codes.find((known) => known === request.sessionId);
    if (code === undefined) return undefined;
    return {
      prepare: () => {
        if (code === 'server') throw new Error(secret);
        throw new HeadgateError(
          code,
          'Said the test.',
          code === 'platform_rate_limit' ? { retryAfter: 7.2 } : {},
        );
      },
    };
  },
};

let gateway: TestGateway;
before(async () => {
  const provider = providerOf({ slug: 'north', baseUrl: 'http://127.0.0.1:1/v1' });
  gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [provider])],
    parts: { stages: [failing] },
  });
});
after(() => gateway.stop());

function checkHeaders(headers: Headers, code: ErrorCode): void {
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  assert.ok(headers.get('x-request-id'));
  if (code === 'platform_rate_limit') assert.equal(headers.get('retry-after'), '8');
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of two forms.
function checkMessagesError(body: any, headers: Headers, code: ErrorCode): void {
  const { status, type } = errorTable[code];
  checkContract('AnthropicMessagesErrorResponse', body);
  assert.equal(headers.get('request-id'), headers.get('x-request-id'));
  assert.equal(body.request_id, headers.get('request-id'));
  assert.equal(body.error.error_type, type);
  const expected = messagesTypes[status];
  if (expected !== undefined) assert.equal(body.error.type, expected);
  else assert.match(body.error.type, /^(api|overloaded)_error$/);
}

for (const client of publicClients) {
  describe(`errors of ${client.name}`, { concurrency: 1 }, () => {
    for (const code of codes) {
      const { status, type } = errorTable[code];

      test(`${status} ${code}`, async () => {
        for (const stream of [false, true]) {
          const body = { ...client.body({ text: 'Hello' }, 'acme/atlas-4'), stream, session_id: code };
          const response = await fetch(gateway.url + client.path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
            body: JSON.stringify(body),
          });
          const raw = await response.text();
          assert.equal(response.status, status, raw);
          assert.ok(!raw.includes(secret), raw);
          checkHeaders(response.headers, code);
          const answered = JSON.parse(raw);
          if (client.name === 'messages') {
            checkMessagesError(answered, response.headers, code);
            continue;
          }
          assert.equal(answered.error.code, status);
          assert.equal(answered.error.metadata.error_type, type);
        }
      });
    }
  });
}
