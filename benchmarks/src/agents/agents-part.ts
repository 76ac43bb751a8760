import type { BenchResult } from '../bench.ts';
import type { Table } from '../report/print-table.ts';

/** What one part of the agents' benchmark found. */
export type AgentsPart = Pick<BenchResult, 'config' | 'rows' | 'summary' | 'checks' | 'aims'> & {
  name: string;
  table: Table;
};
