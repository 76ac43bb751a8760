import { join } from 'node:path';
import type { InlineConfig, Plugin } from 'vite';
import { unfinishedFolder } from './console-folder.ts';
import { layerOrder, themeScript } from './head-file.ts';

/** Oldest browsers of 2024 and later: `light-dark()`, nesting and `Promise.withResolvers`. */
const BROWSERS = ['chrome123', 'firefox121', 'safari17.5'];

/** Directives for servers such as `use client`, which browsers ignore, and durations of a build. */
const HARMLESS = new Set(['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS']);

/** Throws on a warning that is not harmless, because it can mean code that fails in the browser. */
const onBuildLog = (level: string, { code, message }: { code?: string; message: string }): void => {
  if (level !== 'warn' || HARMLESS.has(code ?? '')) return;
  throw new Error(message);
};

/** Returns a plugin that reports the file of each module in the built files. */
const reportModules = (onModule: (path: string) => void): Plugin => ({
  name: 'witan-modules',
  generateBundle: (_options, bundle) => {
    for (const output of Object.values(bundle)) {
      if (output.type === 'chunk') for (const path of output.moduleIds) onModule(path);
    }
  },
});

/** Returns the options with which the console is built and served for development. */
export const viteOptions = (
  root: string,
  onModule: (path: string) => void = () => {},
): InlineConfig => ({
  configFile: false,
  root: join(root, 'apps/console'),
  base: '/console/',
  logLevel: 'warn',
  plugins: [
    themeScript(join(root, 'apps/console/src/theme-script.js')),
    layerOrder(join(root, 'apps/console/src/ui/tokens.css')),
    reportModules(onModule),
  ],
  // The worker is a module, too, so that it can share files with the page.
  worker: { format: 'es', plugins: () => [reportModules(onModule)] },
  build: {
    outDir: unfinishedFolder(root),
    emptyOutDir: true,
    target: BROWSERS,
    // The content security policy forbids data URLs for everything but images.
    assetsInlineLimit: 0,
    // The policy forbids inline scripts, and all supported browsers preload modules themselves.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { onLog: onBuildLog },
  },
});
