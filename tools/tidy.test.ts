import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { citations } from './repo/src/tidy/citations.ts';
import { deadFiles } from './repo/src/tidy/dead-files.ts';
import { fileNames } from './repo/src/tidy/file-names.ts';
import { fileSize } from './repo/src/tidy/file-size.ts';
import { functionSize } from './repo/src/tidy/function-size.ts';
import { indexFiles } from './repo/src/tidy/index-files.ts';
import { kitVocabulary } from './repo/src/tidy/kit-vocabulary.ts';
import { lineLength } from './repo/src/tidy/line-length.ts';
import { lockFile } from './repo/src/tidy/lock-file.ts';
import { logLines } from './repo/src/tidy/log-lines.ts';
import { machineReferences } from './repo/src/tidy/machine-references.ts';
import { mainSize } from './repo/src/tidy/main-size.ts';
import { namedPaths } from './repo/src/tidy/named-paths.ts';
import { performanceTable } from './repo/src/tidy/performance-table.ts';
import { plainWords } from './repo/src/tidy/plain-words.ts';
import { processEnv } from './repo/src/tidy/process-env.ts';
import { serviceCalls } from './repo/src/tidy/service-calls.ts';
import { sqlFunctions } from './repo/src/tidy/sql-functions.ts';
import { testHygiene } from './repo/src/tidy/test-hygiene.ts';
import { formatFindings, openTree, type Rule } from './repo/src/tree.ts';

const tree = openTree(fileURLToPath(new URL('..', import.meta.url)));

const RULES: readonly (readonly [string, Rule])[] = [
  ['no file is longer than its limit', fileSize],
  ['no function is longer than its limit', functionSize],
  ['no line is wider than its limit', lineLength],
  ['every main.ts only starts its service', mainSize],
  ['every file name is kebab-case and specific', fileNames],
  ['index.ts is only at the root of a library, and lists names', indexFiles],
  ['only config files read the environment', processEnv],
  ['services call along deploy/call-graph.json', serviceCalls],
  ['service-kit uses no domain terms', kitVocabulary],
  ['every source file is reachable from an entry point', deadFiles],
  ['no test excludes other tests or mocks a module', testHygiene],
  ['no banned word of the style guide is used', plainWords],
  ['comments cite only what is in the repository', citations],
  ['pages name only paths that exist', namedPaths],
  ['every log line has an event that docs/telemetry.md lists', logLines],
  ['generated tables of the docs show the newest results', performanceTable],
  ['no file names a machine or a package registry', machineReferences],
  ['SQL functions are one per file, and released ones stay', sqlFunctions],
  ['the lock file names no download address', lockFile],
];

describe('the repository', () => {
  it('has a tree that lists its files', () => {
    expect(tree.paths).toContain('tools/tidy.test.ts');
    expect(tree.paths).toContain('package.json');
  });

  it.each(RULES)('%s', (_sentence, rule) => {
    expect(formatFindings(rule(tree))).toEqual([]);
  });
});
