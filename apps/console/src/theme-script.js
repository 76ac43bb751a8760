// Runs before the first paint. Without a choice, the page follows the system.
try {
  const theme = localStorage.getItem('witan.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is disabled, so there is no choice.
}
