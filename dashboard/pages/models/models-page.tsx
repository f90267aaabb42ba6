import { Tabs } from '../../parts/tabs.tsx';
import { choice, choose } from '../../state/url.ts';
import { ModelDetail } from './model-detail.tsx';
import { ModelList } from './model-list.tsx';
import './models.css';
import { ProviderList } from './provider-list.tsx';

const tabs = [
  { name: 'models', label: 'Models' },
  { name: 'providers', label: 'Providers' },
];

/** What can be called, at which price, and how well it works. */
export function ModelsPage({ id }: { readonly id: string | undefined }) {
  if (id !== undefined) return <ModelDetail id={id} />;
  const chosen = choice('tab') === 'providers' ? 'providers' : 'models';
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Models & providers</h1>
      </div>
      <div class="stack">
        <Tabs
          label="Models or providers"
          tabs={tabs}
          chosen={chosen}
          onChoose={(name) => choose({ tab: name })}
        >
          <div class="under-tabs">{chosen === 'models' ? <ModelList /> : <ProviderList />}</div>
        </Tabs>
      </div>
    </div>
  );
}
