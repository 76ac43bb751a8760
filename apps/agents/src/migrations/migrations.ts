import { Agents } from './0001-agents.ts';
import { Tools } from './0002-tools.ts';
import { Knowledge } from './0003-knowledge.ts';
import { MemoryPolicy } from './0004-memory-policy.ts';
import { SessionBytes } from './0005-session-bytes.ts';
import { FactOrder } from './0006-fact-order.ts';
import { ReadsOfTurns } from './0007-reads-of-turns.ts';
import { WritesOfTurns } from './0008-writes-of-turns.ts';
import { TurnsOfReaders } from './0009-turns-of-readers.ts';
import { CallsOfTools } from './0010-calls-of-tools.ts';
import { Debates } from './0011-debates.ts';
import { DebateCalls } from './0012-debate-calls.ts';
import { LocalOnlyMarks } from './0013-local-only-marks.ts';
import { RowsOfReleaseBefore } from './0014-rows-of-release-before.ts';

export const MIGRATIONS = [
  { name: '0001-agents', class: Agents },
  { name: '0002-tools', class: Tools },
  { name: '0003-knowledge', class: Knowledge },
  { name: '0004-memory-policy', class: MemoryPolicy },
  { name: '0005-session-bytes', class: SessionBytes },
  { name: '0006-fact-order', class: FactOrder },
  { name: '0007-reads-of-turns', class: ReadsOfTurns },
  { name: '0008-writes-of-turns', class: WritesOfTurns },
  { name: '0009-turns-of-readers', class: TurnsOfReaders },
  { name: '0010-calls-of-tools', class: CallsOfTools },
  { name: '0011-debates', class: Debates },
  { name: '0012-debate-calls', class: DebateCalls },
  { name: '0013-local-only-marks', class: LocalOnlyMarks },
  { name: '0014-rows-of-release-before', class: RowsOfReleaseBefore },
];
