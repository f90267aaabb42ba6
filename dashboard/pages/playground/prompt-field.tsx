import { useState } from 'preact/hooks';
import { plain } from '../../text/format.ts';
import { attach } from './pictures.ts';

interface PromptFieldProps {
  readonly prompt: string;
  readonly onPrompt: (prompt: string) => void;
  readonly onSend: () => void;
}

/** The prompt; pictures can be pasted and dropped into it. */
export function PromptField({ prompt, onPrompt, onSend }: PromptFieldProps) {
  const [fault, setFault] = useState<string>();
  const take = (event: Event, { files }: DataTransfer) => {
    if (files.length === 0) return;
    event.preventDefault();
    void attach([...files]).then(setFault, (error: unknown) => setFault(String(error)));
  };
  return (
    <>
      <label class="label">
        Prompt
        <textarea
          rows={4}
          value={prompt}
          dir="auto"
          placeholder="Ask something…"
          onInput={({ currentTarget }) => onPrompt(currentTarget.value)}
          onPaste={(event) => event.clipboardData !== null && take(event, event.clipboardData)}
          onDrop={(event) => event.dataTransfer !== null && take(event, event.dataTransfer)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onSend();
          }}
        />
      </label>
      {fault !== undefined && (
        <p class="note bad" role="alert">
          {plain(fault)}
        </p>
      )}
    </>
  );
}
