import { useEffect, useRef, useState } from 'preact/hooks';
import { shown } from '../text/format.ts';
import './markdown.css';

type Markdown = typeof import('./markdown.tsx');

/** Kept, so that a second text needs not wait. */
let loaded: Markdown | undefined;

/** Characters up to which a text is read as Markdown. */
const longest = 100_000;
/** Milliseconds of reading after which a growing text is read in larger steps. */
const slow = 8;

interface FormattedTextProps {
  readonly text: string;
  /** Whether nothing follows. */
  readonly isWhole: boolean;
}

/** A text from outside as Markdown; plain where it is very long. */
export function FormattedText({ text, isWhole }: FormattedTextProps) {
  const markdown = useMarkdown();
  const last = useRef<{ text: string; took: number; read: ReturnType<Markdown['readMarkdown']> }>(undefined);
  if (markdown === undefined || text.length > longest) return <Lines text={text} />;
  const earlier = last.current;
  const mayWait =
    !isWhole &&
    earlier !== undefined &&
    earlier.took > slow &&
    text.startsWith(earlier.text) &&
    text.length < earlier.text.length * 1.3;
  if (!mayWait && earlier?.text !== text) {
    const begun = performance.now();
    const read = readOrPlain(markdown, text);
    last.current = { text, took: performance.now() - begun, read };
  }
  if (last.current === undefined) return <Lines text={text} />;
  const rest = text.slice(last.current.text.length);
  return (
    <div class="markdown">
      <markdown.MarkdownBlocks {...last.current.read} />
      {rest !== '' && <Lines text={rest} />}
    </div>
  );
}

/** Thousands of nested quotes are more than the reader of Markdown can take; they are one block of source. */
function readOrPlain(markdown: Markdown, text: string): ReturnType<Markdown['readMarkdown']> {
  try {
    return markdown.readMarkdown(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { tokens: [{ type: 'html', raw: text, text, block: true, pre: false }], links: 0 };
  }
}

/** A text as it was written. */
export function Lines({ text }: { readonly text: string }) {
  return (
    <p class="text-lines" dir="auto">
      {shown(text)}
    </p>
  );
}

function useMarkdown(): Markdown | undefined {
  const [module, setModule] = useState<Markdown | undefined>(() => loaded);
  useEffect(() => {
    if (module !== undefined) return;
    import('./markdown.tsx').then(
      (found) => {
        loaded = found;
        setModule(found);
      },
      () => undefined,
    );
  }, [module]);
  return module;
}
