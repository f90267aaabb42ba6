import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { ModelInput } from '../../parts/model-input.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { AnswerView } from './answer-view.tsx';
import { Ceiling } from './ceiling.tsx';
import { ColumnFoot } from './column-foot.tsx';
import { ColumnPanel } from './column-panel.tsx';
import type { Draft, Settings } from './draft.ts';
import { SettingsForm } from './settings-form.tsx';
import type { Results, Thread } from './thread.ts';

interface ColumnProps {
  readonly model: string;
  readonly draft: Draft;
  readonly keyHash: string | undefined;
  readonly thread: Thread;
  readonly isPlain: boolean;
  /** Changes the settings of this column, where it has its own. */
  readonly change: ((changed: Partial<Settings>) => void) | undefined;
  readonly onModel: (model: string) => void;
  readonly onResults: (results: Results) => void;
  readonly onRemove?: () => void;
}

const tabs = [
  { name: 'answer', label: 'Answer' },
  { name: 'reasoning', label: 'Reasoning' },
  { name: 'items', label: 'Items' },
  { name: 'events', label: 'Events' },
  { name: 'metadata', label: 'Metadata' },
  { name: 'code', label: 'Code' },
];

/** One model and its answers. */
export function Column({ model, draft, keyHash, thread, isPlain, ...does }: ColumnProps) {
  const [tab, setTab] = useState('answer');
  const { change, onModel, onResults, onRemove } = does;
  const { prompt: _, preset, ...settings } = draft;
  const ofPreset = preset === undefined ? {} : { placeholder: 'the preset’s model' };
  const name = model === '' ? 'the preset’s model' : model;
  return (
    <section class="card column" aria-label={name}>
      <div class="column-head">
        <ModelInput label="Model" value={model} onChange={onModel} {...ofPreset} />
        {onRemove !== undefined && (
          <button type="button" class="button plain small" aria-label={`Remove ${name}`} onClick={onRemove}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <Ceiling draft={draft} model={model} keyHash={keyHash} />
      {change !== undefined && (
        <div class="column-settings">
          <SettingsForm models={[model]} settings={settings} change={change} of={name} />
        </div>
      )}
      <Tabs label={`About the answer of ${name}`} tabs={tabs} chosen={tab} onChoose={setTab}>
        <div class="column-body">
          {/* Kept while another tab is open: results may be half typed. */}
          <div hidden={tab !== 'answer'}>
            <AnswerView thread={thread} isPlain={isPlain} onResults={onResults} />
          </div>
          {tab !== 'answer' && (
            <div>
              <ColumnPanel tab={tab} thread={thread} draft={draft} model={model} />
            </div>
          )}
        </div>
      </Tabs>
      <ColumnFoot thread={thread} />
    </section>
  );
}
