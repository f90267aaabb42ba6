import { checkAnswers } from './client-request.ts';
import { bottleneck, driveInTurns } from './drive.ts';
import type { PartResult } from './figures.ts';
import type { RunningGateway } from './gateways.ts';
import { headgate } from './headgate.ts';
import { requestFigures } from './request-figures.ts';
import { prepareAnswer } from './scripted-answers.ts';
import type { Workbench } from './workbench.ts';

const kinds = ['unstreamed', 'streamed'] as const;

/**
 * Measures whether a public dialect costs more than another: one process, asked for the same answers as Responses and as
 * chat completions, by turns.
 */
export async function measureDialects(bench: Workbench): Promise<PartResult> {
  const responses: RunningGateway = { ...(await bench.start(headgate)), name: 'responses' };
  const chat: RunningGateway = {
    ...responses,
    name: 'chat completions',
    url: new URL(responses.url.href.replace(/responses$/, 'chat/completions')),
    dialect: 'chat',
  };
  await checkAnswers(chat, prepareAnswer('short').text);
  const results: Pick<PartResult, 'figures' | 'phases' | 'notes'>[] = [];
  for (const kind of kinds) {
    const phases = await driveInTurns(bench, { part: `dialects, ${kind}`, kind }, [responses, chat]);
    const [first = [], second = []] = phases;
    results.push({
      figures: requestFigures(`dialects.${kind}`, kind, [first, second]),
      phases: phases.flat(),
      notes: [responses, chat].map(
        ({ name }, at) => `dialects, ${kind}, ${name}: ${bottleneck(phases[at] ?? [])}`,
      ),
    });
  }
  await responses.stop();
  return {
    sides: { yardstick: responses.name, subject: chat.name },
    figures: results.flatMap(({ figures }) => figures),
    phases: results.flatMap(({ phases }) => phases),
    notes: results.flatMap(({ notes }) => notes),
  };
}
