import type { BenchResult } from '../bench.ts';
import type { Table } from '../report/print-table.ts';

export type AgentsPart = Pick<BenchResult, 'config' | 'rows' | 'summary' | 'checks' | 'aims'> & {
  name: string;
  table: Table;
};
