import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { replaceBuildStage } from './replace-build-stage.ts';

const DOCKERFILE = readFileSync(
  new URL('../../../deploy/docker/Dockerfile', import.meta.url),
  'utf8',
);

describe('replaceBuildStage', () => {
  it("retains the last stage of the project's Dockerfile", () => {
    const replaced = replaceBuildStage(DOCKERFILE);
    const lastStage = DOCKERFILE.slice(DOCKERFILE.lastIndexOf('FROM '));
    expect(replaced.endsWith(lastStage)).toBe(true);
    expect(replaced).not.toContain('npm ci');
  });

  it('refuses a Dockerfile with another number of stages', () => {
    expect(() => replaceBuildStage('FROM a\n')).toThrow('1 stages');
  });
});
