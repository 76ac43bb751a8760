// Builds dist/, the package as it is published, with JavaScript and declarations instead of
// TypeScript. To publish: npm run build && npm publish ./dist
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const dist = folder('dist/');

type Manifest = Record<string, unknown> & { exports: Record<string, string> };

function publishedManifest(source: Manifest): Record<string, unknown> {
  const { private: _private, scripts: _scripts, devDependencies: _dev, nx: _nx, ...rest } = source;
  const compiled = Object.entries(source.exports).map(([name, path]) => {
    const file = path.replace('./src/', './');
    const targets = { types: file.replace('.ts', '.d.ts'), default: file.replace('.ts', '.js') };
    return [name, targets] as const;
  });
  return { ...rest, engines: { node: '>=20.19' }, exports: Object.fromEntries(compiled) };
}

rmSync(dist, { recursive: true, force: true });
const compiler = fileURLToPath(import.meta.resolve('typescript/package.json'));
const tsc = compiler.replace('package.json', 'bin/tsc');
execFileSync(process.execPath, [tsc, '-p', folder('tsconfig.build.json')], { stdio: 'inherit' });
const manifest = JSON.parse(readFileSync(folder('package.json'), 'utf8')) as Manifest;
writeFileSync(`${dist}package.json`, `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
copyFileSync(folder('README.md'), `${dist}README.md`);
