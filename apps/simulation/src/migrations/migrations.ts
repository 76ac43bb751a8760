import { Simulations } from './0001-simulations.ts';
import { MarketAnalyses } from './0002-market-analyses.ts';

export const MIGRATIONS = [
  { name: '0001-simulations', class: Simulations },
  { name: '0002-market-analyses', class: MarketAnalyses },
];
