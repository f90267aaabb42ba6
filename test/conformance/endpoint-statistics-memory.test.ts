import { MemoryEndpointStatistics } from '../../src/shared-state/memory/statistics/memory-endpoint-statistics.ts';
import { describeEndpointStatistics } from './endpoint-statistics.ts';

describeEndpointStatistics('memory', (clock) => new MemoryEndpointStatistics(clock));
