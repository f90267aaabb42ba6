import { openStorage } from '../../src/storage/open-storage.ts';
import { describeStorage } from './storage.ts';

describeStorage({
  name: 'SQLite in memory',
  open: async (test, clock) => {
    const storage = await openStorage('sqlite::memory:', { clock });
    test.after(() => storage.close());
    await storage.migrate();
    return storage;
  },
});
