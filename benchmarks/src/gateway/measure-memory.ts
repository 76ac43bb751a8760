import { readTreeMemory } from '../cpu/tree-memory.ts';
import type { MemoryMib } from '../cpu/tree-memory.ts';
import { toTable } from '../report/print-report.ts';
import type { Table } from '../report/print-report.ts';
import type { GatewaySystem } from './open-systems.ts';

/** Resident memory (PSS) of a system, by process: after its start, and its maximum under load. */
export type SystemMemory = { system: string; idleMib: MemoryMib; loadedMib: MemoryMib };

export const readSystemMemory = (systems: readonly GatewaySystem[]): SystemMemory[] =>
  systems.map(({ name, processes }) => {
    const idleMib = readTreeMemory(processes);
    return { system: name, idleMib, loadedMib: idleMib };
  });

/** Reads the memory of a system that has just been under load; the maximum remains. */
export const updateLoaded = (
  memory: readonly SystemMemory[],
  { name, processes }: GatewaySystem,
): void => {
  const loadedMib = readTreeMemory(processes);
  const found = memory.find(({ system }) => system === name)!;
  if (sumMib(loadedMib) > sumMib(found.loadedMib)) found.loadedMib = loadedMib;
};

export const sumMib = (memory: MemoryMib): number =>
  Object.values(memory).reduce((sum, mib) => sum + mib, 0);

export const toMemoryTable = (rows: readonly SystemMemory[]): Table =>
  toTable('resident memory (PSS) in MiB', rows, [
    ['system', ({ system }) => system],
    ['idle', ({ idleMib }) => sumMib(idleMib).toFixed(0)],
    ['of it PostgreSQL', ({ idleMib }) => idleMib['postgres']?.toFixed(0)],
    ['under load', ({ loadedMib }) => sumMib(loadedMib).toFixed(0)],
    ['of it PostgreSQL', ({ loadedMib }) => loadedMib['postgres']?.toFixed(0)],
  ]);
