import { FunctionsMoved, functionMigrations, readSqlFunctions } from '@witan/service-kit';
import { Agents } from './0001-agents.ts';
import { Tools } from './0002-tools.ts';
import { Knowledge } from './0003-knowledge.ts';
import { MemoryPolicy } from './0004-memory-policy.ts';
import { SessionBytes } from './0005-session-bytes.ts';
import { FactOrder } from './0006-fact-order.ts';
import { ReadsOfTurns } from './0007-reads-of-turns.ts';
import { TurnsOfReaders } from './0009-turns-of-readers.ts';
import { Debates } from './0011-debates.ts';
import { LocalOnlyMarks } from './0013-local-only-marks.ts';
import { ArgumentTypes } from './0015-argument-types.ts';

export const MIGRATIONS = [
  { name: '0001-agents', class: Agents },
  { name: '0002-tools', class: Tools },
  { name: '0003-knowledge', class: Knowledge },
  { name: '0004-memory-policy', class: MemoryPolicy },
  { name: '0005-session-bytes', class: SessionBytes },
  { name: '0006-fact-order', class: FactOrder },
  { name: '0007-reads-of-turns', class: ReadsOfTurns },
  { name: '0008-writes-of-turns', class: FunctionsMoved },
  { name: '0009-turns-of-readers', class: TurnsOfReaders },
  { name: '0010-calls-of-tools', class: FunctionsMoved },
  { name: '0011-debates', class: Debates },
  { name: '0012-debate-calls', class: FunctionsMoved },
  { name: '0013-local-only-marks', class: LocalOnlyMarks },
  { name: '0014-rows-of-release-before', class: FunctionsMoved },
  { name: '0015-argument-types', class: ArgumentTypes },
  ...functionMigrations([
    ...readSqlFunctions(new URL('../agent/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../debate/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../knowledge/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../memory/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../session/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../tool/store/', import.meta.url)),
  ]),
];
