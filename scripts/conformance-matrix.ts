import { messageOf } from '../src/util/message-of.ts';
import { behaviours } from '../test/dialects/behaviours/behaviours.ts';
import { dialects } from '../test/dialects/dialects.ts';
import { applies, tryRefusal } from '../test/dialects/support/applies.ts';
import { setStage } from '../test/dialects/support/stage.ts';

/**
 * `npm run conformance`: tries every behaviour on every dialect and prints the matrix. `yes` means it passed,
 * `refused` that the endpoint is passed over, as docs/translation.md says, `-` that a provider of this dialect cannot
 * express it, `FAILED` that it did not pass.
 */
const columns = await Promise.all(
  dialects.map(async (dialect) => {
    const stage = await setStage(dialect);
    const cells: string[] = [];
    const problems: string[] = [];
    for (const behaviour of behaviours) {
      const verdict = applies(behaviour, stage);
      try {
        if (verdict === 'yes') await behaviour.run(stage);
        else if (verdict === 'refused') await tryRefusal(behaviour, stage);
        cells.push(verdict === 'cannot be said' ? '-' : verdict);
      } catch (error) {
        cells.push('FAILED');
        problems.push(`${dialect.adapter}: ${behaviour.name}: ${messageOf(error)}`);
      }
    }
    await stage.strike();
    return { adapter: dialect.adapter, cells, problems };
  }),
);

const first = Math.max(...behaviours.map(({ name }) => name.length));
const line = (name: string, cells: readonly string[]) =>
  `${name.padEnd(first)}  ${cells.map((cell, index) => cell.padEnd(columns[index]?.adapter.length ?? 0)).join('  ')}`;
process.stdout.write(
  `${line(
    '',
    columns.map(({ adapter }) => adapter),
  )}\n`,
);
for (const [index, { name }] of behaviours.entries()) {
  process.stdout.write(
    `${line(
      name,
      columns.map(({ cells }) => cells[index] ?? ''),
    )}\n`,
  );
}
const problems = columns.flatMap((column) => column.problems);
process.stdout.write(
  `\n${behaviours.length} behaviours, ${dialects.length} dialects, ${problems.length} failed\n`,
);
for (const problem of problems) process.stdout.write(`${problem.split('\n', 3).join(' ')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
