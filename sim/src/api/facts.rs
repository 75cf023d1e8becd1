//! How a command makes something true: the fact is stored, and before the command goes on, it is folded.
use std::fmt::Debug;

use futures::future::BoxFuture;

use super::Api;
use super::refusal::Refusal;
use crate::fact::Fact;
use crate::store::StoreError;

/// Brings the state up to what is stored.
pub(crate) trait Folding: Debug + Send + Sync {
    /// Returns when every fact that was stored before the call is folded.
    fn fold(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Whether this process may answer reads: it has what the other processes over its database did.
    fn is_current(&self) -> bool {
        true
    }
}

impl Api {
    /// Makes a fact true, or leaves it when one was stored under the same name before; answers whether it was made.
    pub(crate) async fn record(&self, fact: &Fact, once: Option<&str>) -> Result<bool, Refusal> {
        let mut transaction = self.store.write(self.clock.now()).await?;
        let number = transaction.append(fact, once).await?;
        transaction.commit().await?;
        self.folding.fold().await?;
        Ok(number.is_some())
    }
}

#[cfg(test)]
pub(crate) mod direct {
    //! Facts folded into a state that no indexer keeps.
    use std::sync::atomic::{AtomicI64, Ordering};
    use std::sync::{Arc, PoisonError, RwLock};

    use futures::FutureExt;
    use futures::future::BoxFuture;

    use super::Folding;
    use crate::state::State;
    use crate::store::{Store, StoreError};

    #[derive(Debug)]
    pub(crate) struct Direct {
        pub(crate) store: Store,
        pub(crate) state: Arc<RwLock<State>>,
        pub(crate) last: AtomicI64,
    }

    impl Folding for Direct {
        fn fold(&self) -> BoxFuture<'_, Result<(), StoreError>> {
            async {
                let facts = self.store.facts_after(self.last.load(Ordering::SeqCst)).await?;
                let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
                for (number, fact) in facts {
                    if self.last.fetch_max(number, Ordering::SeqCst) < number {
                        state.apply_fact(&fact);
                    }
                }
                Ok(())
            }
            .boxed()
        }
    }
}
