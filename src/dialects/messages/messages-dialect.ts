import type { PublicDialect } from '../public-dialect.ts';
import { MessagesWriter } from './answer/messages-writer.ts';
import { describeError } from './describe-error.ts';
import { readModelName } from './model-names.ts';
import { readMessagesRequest } from './request/read-messages-request.ts';

/** The dialect of `POST /messages` (docs/spec/messages.md). */
export const messagesDialect: PublicDialect = {
  name: 'messages',
  path: '/messages',
  idHeader: 'request-id',
  clientHeader: 'anthropic-version',
  failsWhole: true,
  readModelName,
  asksForMost: true,
  describeError,
  read(body, context) {
    const { request, answer } = readMessagesRequest(body, context);
    return { request, createWriter: () => new MessagesWriter(request, answer, context.carriers) };
  },
};
