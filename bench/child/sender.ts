import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { takeJobs } from './jobs.ts';
import { type Counted, Tally, type Windowed } from './tally.ts';

export interface SenderJob extends Windowed {
  urls: string[];
  body: string;
  secret: string;
  concurrency: number;
}

/** The baseline of deliveries: sign and post, nothing stored. Each address is one loop's alone, so one connection serves it. */
takeJobs<SenderJob, Counted>(async (job, started) => {
  const dispatcher = new Agent({ connections: 256, pipelining: 1, allowH2: false, connect: { rejectUnauthorized: false } });
  const send = async (url: string) => {
    const body = Buffer.from(job.body);
    const timestamp = Math.floor(Date.now() / 1000);
    const mac = createHmac('sha256', job.secret).update(`${timestamp}.`).update(body).digest('hex');
    const answer = await request(url, {
      method: 'POST',
      dispatcher,
      body,
      headers: {
        'content-type': 'application/json',
        'x-service-signature': `v1=${mac}`,
        'x-service-timestamp': String(timestamp),
      },
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`);
  };
  try {
    for (const url of job.urls) await send(url); // all connections are open before the clock runs
    const tally = new Tally(job, started);
    await Promise.all(
      Array.from({ length: job.concurrency }, async (_, loop) => {
        const mine = job.urls.filter((_, i) => i % job.concurrency === loop);
        for (let turn = 0; !tally.over; turn++) {
          const since = performance.now();
          await send(mine[turn % mine.length] as string);
          tally.add(since);
        }
      }),
    );
    return tally.result();
  } finally {
    await dispatcher.destroy();
  }
});
