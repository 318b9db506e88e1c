// Preloaded into every process the benchmark starts: when the benchmark is gone, however it went, so are they.
//
// Plain JavaScript: the compiler that removes types takes time at a start and 20 MB afterwards, which a service does not take otherwise.
process.on('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2_000).unref();
});
process.channel?.unref();
