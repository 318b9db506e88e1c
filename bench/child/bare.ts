import http from 'node:http';
import pg from 'pg';

/** The least that is ready: a server that answers 200 once its pool has a connection. It ends with the signal. */
const { PORT, DATABASE_URL, DATABASE_POOL } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL) });
pool.on('error', () => {}); // the next query reports it
const server = http.createServer((_, response) => {
  pool.query('select 1').then(
    () => response.writeHead(200).end(),
    () => response.writeHead(503).end(),
  );
});
server.listen(Number(PORT), '127.0.0.1');
