//! Work that is done together: all that comes while some is under way is done next, at once.
//!
//! Whoever hands something over may go away; it is done by a task of its own, which lives as long as there is something to do.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So much is done at once.
const MOST_TOGETHER: usize = 64;

/// What has come and is to be done. Clones are the same.
#[derive(Debug)]
pub struct Together<Job>(Arc<Mutex<Queue<Job>>>);

#[derive(Debug)]
struct Queue<Job> {
    jobs: Vec<Job>,
    /// Whether a task is at it.
    at_work: bool,
}

/// Says that no task is at it any more, however it ends.
struct AtWork<Job>(Arc<Mutex<Queue<Job>>>);

impl<Job> Clone for Together<Job> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<Job> Default for Together<Job> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Queue { jobs: Vec::new(), at_work: false })))
    }
}

impl<Job: Send + 'static> Together<Job> {
    /// Hands a job over to `work`, which is done with it and with what else has come.
    pub fn push<Done>(&self, job: Job, work: impl Fn(Vec<Job>) -> Done + Send + 'static)
    where
        Done: Future<Output = ()> + Send,
    {
        let mut queue = lock(&self.0);
        queue.jobs.push(job);
        if queue.at_work {
            return;
        }
        queue.at_work = true;
        let at_work = AtWork(Arc::clone(&self.0));
        tokio::spawn(async move {
            while let Some(jobs) = at_work.next_jobs() {
                work(jobs).await;
            }
        });
    }
}

impl<Job> AtWork<Job> {
    /// What has come; `None` where there is nothing to do, and the task ends.
    fn next_jobs(&self) -> Option<Vec<Job>> {
        let mut queue = lock(&self.0);
        if queue.jobs.is_empty() {
            queue.at_work = false;
            return None;
        }
        let count = queue.jobs.len().min(MOST_TOGETHER);
        Some(queue.jobs.drain(..count).collect())
    }
}

impl<Job> Drop for AtWork<Job> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What has come is not done by anybody: those who wait for it are told so.
            let mut queue = lock(&self.0);
            queue.at_work = false;
            queue.jobs.clear();
        }
    }
}

fn lock<Job>(queue: &Mutex<Queue<Job>>) -> MutexGuard<'_, Queue<Job>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tokio::sync::{mpsc, oneshot};

    use super::*;

    #[tokio::test]
    async fn what_comes_while_some_is_under_way_is_done_next_at_once() {
        let (together, (tell, mut told)) = (Together::default(), mpsc::unbounded_channel());
        let (end, mut ended) = (Arc::new(tokio::sync::Semaphore::new(0)), Vec::new());
        for job in 0..4 {
            let (tell, end) = (tell.clone(), Arc::clone(&end));
            together.push(job, move |jobs: Vec<i32>| {
                let (tell, end) = (tell.clone(), Arc::clone(&end));
                async move {
                    tell.send(jobs).unwrap();
                    end.acquire().await.unwrap().forget();
                }
            });
            if job == 0 {
                ended.push(told.recv().await.unwrap());
            }
        }
        end.add_permits(2);
        ended.push(told.recv().await.unwrap());
        assert_eq!(ended, [vec![0], vec![1, 2, 3]]);
    }

    #[tokio::test]
    async fn a_task_that_panics_does_not_keep_others_waiting() {
        let together = Together::default();
        for panics in [true, false] {
            let (answer, answered) = oneshot::channel();
            together.push(answer, move |jobs: Vec<oneshot::Sender<()>>| async move {
                assert!(!panics, "as it should");
                for answer in jobs {
                    answer.send(()).unwrap();
                }
            });
            assert_eq!(answered.await.is_err(), panics);
        }
    }
}
