import { Settings } from './0001-settings.ts';
import { Privacy } from './0002-privacy.ts';
import { ResponsesDialect } from './0003-responses-dialect.ts';

export const MIGRATIONS = [
  { name: '0001-settings', class: Settings },
  { name: '0002-privacy', class: Privacy },
  { name: '0003-responses-dialect', class: ResponsesDialect },
];
