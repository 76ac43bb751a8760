import { readTreeMemory } from '../cpu/tree-memory.ts';
import type { MemoryMib } from '../cpu/tree-memory.ts';
import { toTable } from '../report/print-report.ts';
import type { Table } from '../report/print-report.ts';
import type { GatewaySystem } from './open-systems.ts';

/** Resident memory (PSS) of a system, by process: after its start, and after all of its load. */
export type SystemMemory = { system: string; idleMib: MemoryMib; loadedMib: MemoryMib };

/** Returns the memory of every system that has processes, by the system's name. */
export const readSystemMemory = (
  systems: readonly GatewaySystem[],
): ReadonlyMap<string, MemoryMib> =>
  new Map(
    systems
      .filter(({ processes }) => Object.keys(processes).length > 0)
      .map(({ name, processes }) => [name, readTreeMemory(processes)]),
  );

export const joinMemory = (
  idle: ReadonlyMap<string, MemoryMib>,
  loaded: ReadonlyMap<string, MemoryMib>,
): SystemMemory[] =>
  [...idle].map(([system, idleMib]) => ({ system, idleMib, loadedMib: loaded.get(system)! }));

/** Returns the sum over all processes but PostgreSQL's. */
export const sumWithoutPostgres = (memory: MemoryMib): number =>
  Object.entries(memory).reduce((sum, [name, mib]) => (name === 'postgres' ? sum : sum + mib), 0);

export const toMemoryTable = (rows: readonly SystemMemory[]): Table =>
  toTable('resident memory (PSS) in MiB', rows, [
    ['system', ({ system }) => system],
    ['idle', ({ idleMib }) => sumWithoutPostgres(idleMib).toFixed(0)],
    ['PostgreSQL', ({ idleMib }) => idleMib['postgres']?.toFixed(0)],
    ['after load', ({ loadedMib }) => sumWithoutPostgres(loadedMib).toFixed(0)],
    ['PostgreSQL', ({ loadedMib }) => loadedMib['postgres']?.toFixed(0)],
  ]);
