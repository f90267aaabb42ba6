import { type ErrorCode, errorTable } from '../../core/errors.ts';
import { apiBase } from '../../edge/paths.ts';
import { marksOf, type TSchema } from '../../util/json-schema.ts';
import type { Operation } from '../row.ts';
import { ErrorAnswer } from '../schemas/errors.ts';
import type { Components } from './components.ts';
import { answerHeaders, errorHeaders, replayHeaders } from './headers.ts';

const accessTexts: Readonly<Record<Operation['access'], string | undefined>> = {
  open: undefined,
  optional: 'Needs no key; one that works shows more.',
  key: 'Needs any key.',
  inference: 'Needs an inference key.',
  management: 'Needs a management key.',
};

const accessFailures: Readonly<Record<Operation['access'], readonly ErrorCode[]>> = {
  open: [],
  optional: [],
  key: ['authentication'],
  inference: ['authentication', 'permission_denied'],
  management: ['authentication', 'permission_denied', 'platform_rate_limit'],
};

/** What cannot be read or comes from a page of a foreign origin is refused everywhere. */
const commonFailures: readonly ErrorCode[] = ['invalid_request', 'server'];
const bodyFailures: readonly ErrorCode[] = ['deadline_exceeded', 'payload_too_large'];

/** One operation as OpenAPI describes it. */
export function describeOperation(operation: Operation, components: Components): object {
  const { id, summary, access, body } = operation;
  const { description = accessTexts[access], path } = operation;
  const parameters = [
    ...pathParameters(path),
    ...parametersIn('query', operation.query),
    ...parametersIn('header', operation.headers),
  ];
  return {
    ...(path.startsWith(apiBase) ? {} : { servers: [{ url: '' }] }),
    ...securityOf(operation),
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, ...content(body, components, formType(operation)) } }),
    responses: {
      ...describeSuccess(operation, components),
      ...describeFailures(failuresOf(operation), components, operation.errorAnswer),
    },
  };
}

/** The media type of a body that is not JSON. */
function formType({ takesForm }: Operation): string | undefined {
  return takesForm === true ? 'multipart/form-data' : undefined;
}

function failuresOf({
  access,
  body,
  failures = [],
  alwaysAnswered = false,
  rate,
}: Operation): readonly ErrorCode[] {
  if (failures === 'any') return Object.keys(errorTable) as ErrorCode[];
  return [
    ...commonFailures,
    ...(alwaysAnswered ? [] : (['service_unavailable'] as const)),
    ...accessFailures[access],
    ...(body === undefined ? [] : bodyFailures),
    ...(rate === undefined ? [] : (['platform_rate_limit'] as const)),
    ...failures,
  ];
}

/** A key that some callers need and others do not is one of two ways to call it. */
function securityOf({ access, failures = [] }: Operation): object {
  if (access !== 'open' && access !== 'optional') return {};
  return { security: failures.includes('authentication') ? [{}, { bearer: [] }] : [] };
}

function describeSuccess(operation: Operation, components: Components): Record<string, object> {
  const { status = 200, answer, mediaType, success = 'Done', events, otherwise = {} } = operation;
  const { content: whole } = content(answer, components, mediaType);
  const streamed = events && content(events, components, 'text/event-stream').content;
  const others = Object.entries(otherwise).map(([code, { description, answer: other }]) => [
    code,
    { description, headers: answerHeaders, ...content(other, components) },
  ]);
  return {
    [status]: {
      description: success,
      headers: { ...answerHeaders, ...(events && replayHeaders) },
      content: { ...whole, ...streamed },
    },
    ...Object.fromEntries(others),
  };
}

/** The answers of failures, by status. */
function describeFailures(
  codes: readonly ErrorCode[],
  components: Components,
  answer: TSchema = ErrorAnswer,
): Record<string, object> {
  const failures: Record<string, object> = {};
  for (const status of new Set(codes.map((code) => errorTable[code].status))) {
    const texts = codes.map((code) => errorTable[code]).filter((row) => row.status === status);
    failures[status] = {
      description: texts.map(({ text }) => text).join(' '),
      headers: { ...answerHeaders, ...errorHeaders[status] },
      ...content(answer, components),
    };
  }
  return failures;
}

function content(schema: TSchema, components: Components, mediaType = 'application/json') {
  return { content: { [mediaType]: { schema: components.use(schema) } } };
}

function pathParameters(path: string): object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function parametersIn(place: 'query' | 'header', schema: TSchema | undefined): object[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, { description, ...member }]) => {
    const { hidden, optional } = marksOf(member);
    if (hidden === true) return [];
    const required = optional !== true && member.default === undefined;
    const said = description === undefined ? {} : { description };
    return [{ name, in: place, ...(required ? { required } : {}), schema: member, ...said }];
  });
}
