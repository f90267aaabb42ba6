import { useEffect, useState } from 'preact/hooks';
import { FormattedText, Lines } from '../../parts/formatted-text.tsx';
import { State } from '../../parts/state.tsx';
import { plain, shown } from '../../text/format.ts';
import { pictureData } from '../../text/markup.ts';
import { schemaOf } from './draft.ts';
import { type Answer, isRunning } from './run.ts';
import { callsOf, picturesOf, type Results, type Thread, textOf } from './thread.ts';
import { ToolResults } from './tool-results.tsx';

interface AnswerViewProps {
  readonly thread: Thread;
  readonly isPlain: boolean;
  readonly onResults: (results: Results) => void;
}

/** What a model said, its calls, and what they were answered with. */
export function AnswerView({ thread, isPlain, onResults }: AnswerViewProps) {
  if (thread.length === 0) return <p class="muted">The answer appears here.</p>;
  return (
    <div class="stack">
      {thread.map(({ answer, results }, index) => (
        <OneAnswer
          key={index}
          answer={answer}
          results={results}
          isPlain={isPlain}
          {...(index === thread.length - 1 ? { onResults } : {})}
        />
      ))}
    </div>
  );
}

interface OneAnswerProps {
  readonly answer: Answer;
  readonly results: Results | undefined;
  readonly isPlain: boolean;
  readonly onResults?: (results: Results) => void;
}

function OneAnswer({ answer, results, isPlain, onResults }: OneAnswerProps) {
  const calls = callsOf(answer);
  const schema = schemaOf(answer.body);
  const isWhole = !isRunning(answer);
  const isEmpty = answer.text === '' && answer.items.length === 0;
  return (
    <>
      {isEmpty && answer.state === 'waiting' && <p class="muted">Waiting for the first token…</p>}
      {isEmpty && answer.state === 'streaming' && <p class="muted">Working…</p>}
      {answer.text !== '' && (
        <div class="answer">
          {isPlain || schema !== undefined ? (
            <Lines text={answer.text} />
          ) : (
            <FormattedText text={answer.text} isWhole={isWhole} />
          )}
        </div>
      )}
      <Pictures answer={answer} />
      {schema !== undefined && answer.state === 'done' && calls.length === 0 && (
        <SchemaCheck text={textOf(answer.items)} schema={schema} />
      )}
      {calls.length > 0 && (
        <ToolResults
          calls={calls}
          results={results}
          {...(onResults !== undefined && answer.state === 'done' ? { onSend: onResults } : {})}
        />
      )}
      {answer.failure !== undefined && (
        <p class="note bad" role="alert">
          {shown(answer.failure)}
        </p>
      )}
      <span class="hidden" role="status">
        {answer.state === 'done' ? `Answer complete: ${shown(answer.text)}` : ''}
        {answer.state === 'stopped' && 'Stopped'}
      </span>
    </>
  );
}

function Pictures({ answer }: { readonly answer: Answer }) {
  const unfinished =
    answer.unfinishedPicture === undefined ? undefined : pictureData(answer.unfinishedPicture);
  return (
    <>
      {picturesOf(answer.items).map((data, index) =>
        data === undefined ? (
          <p key={index} class="muted">
            A picture of a kind that is not shown; its bytes are under Items.
          </p>
        ) : (
          <img key={index} class="shown-picture" src={data} alt={`Number ${index + 1} of the answer`} />
        ),
      )}
      {unfinished !== undefined && <img class="shown-picture" src={unfinished} alt="Not finished" />}
    </>
  );
}

interface SchemaCheckProps {
  readonly text: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Whether an answer fits the schema that was asked for. */
function SchemaCheck({ text, schema }: SchemaCheckProps) {
  const [faults, setFaults] = useState<readonly string[]>();
  useEffect(() => {
    let isWanted = true;
    import('./check-schema.ts').then(
      ({ faultsOf }) => isWanted && setFaults(faultsOf(text, schema)),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [text, schema]);
  if (faults === undefined) return null;
  if (faults.length === 0) return <State tone="good">fits the output schema</State>;
  return (
    <div>
      <State tone="bad">does not fit the output schema</State>
      <ul class="faults">
        {faults.map((fault) => (
          <li key={fault}>{plain(fault)}</li>
        ))}
      </ul>
    </div>
  );
}
