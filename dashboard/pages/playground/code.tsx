import { useState } from 'preact/hooks';
import { interfaceRoot } from '../../api/session-state.ts';
import { Copy } from '../../parts/copy.tsx';
import { curlCode, pythonCode, typescriptCode } from '../../text/code.ts';
import type { Body } from './draft.ts';
import { withoutPictureBytes } from './pictures.ts';

const languages = { curl: curlCode, TypeScript: typescriptCode, Python: pythonCode } as const;

/** A request as code that runs by itself. */
export function Code({ body }: { readonly body: Body }) {
  const [language, setLanguage] = useState<keyof typeof languages>('curl');
  const address = `${interfaceRoot()}api/v1`;
  const text = languages[language]({ address, body });
  const short = languages[language]({ address, body: withoutPictureBytes(body) });
  return (
    <div class="stack">
      <div class="row">
        <fieldset class="segments" aria-label="Language">
          {Object.keys(languages).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === language}
              onClick={() => setLanguage(name as keyof typeof languages)}
            >
              {name}
            </button>
          ))}
        </fieldset>
        <Copy text={text} label="Copy" />
      </div>
      {short !== text && <p class="hint">Copy gives the pictures whole.</p>}
      <pre>{short}</pre>
    </div>
  );
}
