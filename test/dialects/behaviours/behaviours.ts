import type { Behaviour } from './behaviour.ts';
import { endings } from './endings.ts';
import { failures } from './failures.ts';
import { formats } from './formats.ts';
import { framing } from './framing.ts';
import { mixedConversations } from './mixed-conversations.ts';
import { publicDialects } from './public-dialects.ts';
import { reasoning } from './reasoning.ts';
import { roundTrip } from './round-trip.ts';
import { text } from './text.ts';
import { tools } from './tools.ts';

/** Everything every dialect has to do right, in the order of the matrix. */
export const behaviours: readonly Behaviour[] = [
  ...text,
  ...tools,
  ...reasoning,
  ...formats,
  ...roundTrip,
  ...endings,
  ...failures,
  ...framing,
  ...publicDialects,
  ...mixedConversations,
];
