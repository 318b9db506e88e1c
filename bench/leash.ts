// Preloaded into every process the benchmark starts: when the benchmark is gone, however it went, so are they.
process.on('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2_000).unref();
});
process.channel?.unref();
