import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Also read by theme-script.js, which sets the theme before the first paint. */
const STORAGE_KEY = 'witan.theme';
const CHANGED = 'witan-theme';

export const readTheme = (): Theme => {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
};

export const setTheme = (theme: Theme): void => {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(STORAGE_KEY);
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(STORAGE_KEY, theme);
  }
  window.dispatchEvent(new Event(CHANGED));
};

const subscribe = (onChange: () => void): (() => void) => {
  window.addEventListener(CHANGED, onChange);
  return () => window.removeEventListener(CHANGED, onChange);
};

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme);
