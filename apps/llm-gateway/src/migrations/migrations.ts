import { Settings } from './0001-settings.ts';
import { Privacy } from './0002-privacy.ts';

export const MIGRATIONS = [
  { name: '0001-settings', class: Settings },
  { name: '0002-privacy', class: Privacy },
];
